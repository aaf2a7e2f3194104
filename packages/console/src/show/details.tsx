import { Group, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'

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

type Detail = readonly [label: string, value: ReactNode]

/** Labelled values; unset values are shown as a dash. */
export function Details({ rows }: { readonly rows: readonly Detail[] }) {
  return (
    <SimpleGrid component="dl" m={0} cols={{ base: 1, sm: 2 }} spacing="xs" verticalSpacing="xs">
      {rows.map(([label, value]) => (
        <div key={label}>
          <Text component="dt" size="xs" c="dimmed">
            {label}
          </Text>
          <Text component="dd" m={0} className="breakable">
            {value === null || value === undefined || value === '' ? '–' : value}
          </Text>
        </div>
      ))}
    </SimpleGrid>
  )
}
