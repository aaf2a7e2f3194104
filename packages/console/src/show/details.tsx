import type { Members } from '@countersign/contract/resource'
import { Group, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'
import { FieldLabel } from './field-label.tsx'

/** Part of a page with its own heading. */
export function Section({ title, aside, children }: { title: string; aside?: ReactNode; children: ReactNode }) {
  return (
    <Paper withBorder p="md" component="section" aria-label={title}>
      <Stack gap="sm">
        <Group justify="space-between" gap="xs">
          <Title order={2} size="h4">
            {title}
          </Title>
          {aside}
        </Group>
        {children}
      </Stack>
    </Paper>
  )
}

/** `member` is the name in the API, which the label's tooltip shows. */
export type Detail = readonly [label: string, value: ReactNode, member?: string]

interface DetailsProps {
  readonly rows: readonly Detail[]
  /** The members of the resource, for rows that name theirs. */
  readonly members?: Members
}

/** Labelled values; unset values are shown as a dash. */
export function Details({ rows, members = {} }: DetailsProps) {
  return (
    <SimpleGrid component="dl" m={0} cols={{ base: 1, sm: 2 }} spacing="xs" verticalSpacing="xs">
      {rows.map(([label, value, member]) => (
        <div key={label}>
          <Text component="dt" size="xs" c="dimmed">
            {member ? (
              <FieldLabel members={members} name={member}>
                {label}
              </FieldLabel>
            ) : (
              label
            )}
          </Text>
          <Text component="dd" m={0} className="breakable">
            {value === null || value === undefined || value === false || value === '' ? '–' : value}
          </Text>
        </div>
      ))}
    </SimpleGrid>
  )
}
