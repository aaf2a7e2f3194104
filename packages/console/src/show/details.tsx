import { Grid, Paper, Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'

/** Part of a page under a heading of its own. */
export function Section({ title, aside, children }: { title: string; aside?: ReactNode; children: ReactNode }) {
  return (
    <Paper withBorder p="md" component="section" aria-label={title}>
      <Stack gap="sm">
        <Grid justify="space-between" align="center" gap="xs">
          <Grid.Col span="content">
            <Title order={2} size="h4">
              {title}
            </Title>
          </Grid.Col>
          {aside && <Grid.Col span="content">{aside}</Grid.Col>}
        </Grid>
        {children}
      </Stack>
    </Paper>
  )
}

type Detail = readonly [label: string, value: ReactNode]

/** Names and values; what is not set is a dash. */
export function Details({ rows }: { readonly rows: readonly Detail[] }) {
  return (
    <Grid component="dl" m={0} gap="xs">
      {rows.map(([label, value]) => (
        <Grid.Col key={label} span={{ base: 12, sm: 6 }}>
          <Text component="dt" size="xs" c="dimmed">
            {label}
          </Text>
          <Text component="dd" m={0} className="breakable">
            {value === null || value === undefined || value === '' ? '–' : value}
          </Text>
        </Grid.Col>
      ))}
    </Grid>
  )
}
