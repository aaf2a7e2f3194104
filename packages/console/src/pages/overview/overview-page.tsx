import { Grid, Group, Paper, Progress, SimpleGrid, Stack, Text } from '@mantine/core'
import { useInterval } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { controller } from '../../api/client.ts'
import type { ControllerEvent, StreamState } from '../../api/event-stream.ts'
import { useEvents } from '../../api/use-events.ts'
import { useMay } from '../../api/use-may.ts'
import { StreamBadge } from '../../show/badges.tsx'
import { Section } from '../../show/details.tsx'
import { EventLine } from '../../show/event-line.tsx'
import { PageLink } from '../../show/links.tsx'
import { May } from '../../show/may.tsx'
import { PageHead } from '../../show/page-head.tsx'
import { useNames } from '../../show/use-names.ts'
import { countByMinute, countReasons } from './count-logins.ts'
import { FirstSteps } from './first-steps.tsx'
import { LoginChart } from './login-chart.tsx'
import { SignerHealth } from './signer-health.tsx'

const MINUTES = 30
const TICK_MS = 5_000
const MAX_REASONS = 8
const RECENT = 8

/** Logins, refusals, signer keys, sessions and recent events, as far as the session may read them. */
export function OverviewPage() {
  const may = useMay()
  if (!may('GET /events')) {
    return (
      <Stack>
        <PageHead title="Overview" />
        <May need="GET /summary">
          <Totals />
        </May>
        <SignerHealth />
      </Stack>
    )
  }
  return <WholeOverview />
}

function WholeOverview() {
  const { events, state } = useEvents()
  return (
    <Stack>
      <PageHead title="Overview">
        <StreamBadge state={state} />
      </PageHead>
      <Totals />
      <Grid className="cards">
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Logins events={events} state={state} />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <SignerHealth />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Refusals events={events} state={state} />
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Recent events={events} state={state} />
        </Grid.Col>
      </Grid>
    </Stack>
  )
}

const COUNTED = [
  ['apiSessions', 'Sessions', '/sessions'],
  ['identities', 'Identities', '/identities'],
  ['externalJwtSigners', 'Signers', '/signers'],
  ['enrollments', 'Open invitations', '/enrollments'],
] as const

function Totals() {
  const { data } = useQuery({
    queryKey: ['summary'],
    queryFn: () => controller.summary(),
    refetchInterval: TICK_MS * 2,
  })
  return (
    <>
      {data && <FirstSteps summary={data} />}
      <SimpleGrid cols={{ base: 2, sm: 4 }}>
        {COUNTED.map(([member, label, to]) => (
          <Paper key={member} withBorder p="md">
            <PageLink to={to} size="sm">
              {label}
            </PageLink>
            <Text fz={28} fw={650}>
              {data?.[member] ?? '–'}
            </Text>
          </Paper>
        ))}
      </SimpleGrid>
    </>
  )
}

type WithEvents = { readonly events: readonly ControllerEvent[]; readonly state: StreamState }

const NOT_ALLOWED = 'Your session has no permission to read events.'

function Logins({ events, state }: WithEvents) {
  const [now, setNow] = useState(Date.now())
  useInterval(() => setNow(Date.now()), TICK_MS, { autoInvoke: true })
  const minutes = countByMinute(loginsOf(events), Math.max(now, Date.now()), MINUTES)
  return (
    <Section title="Logins per minute" aside={<Legend />}>
      {state === 'refused' ? <Text c="dimmed">{NOT_ALLOWED}</Text> : <LoginChart minutes={minutes} />}
    </Section>
  )
}

function Legend() {
  return (
    <Group gap="sm">
      {(['accepted', 'refused'] as const).map((result) => (
        <Group key={result} gap={4}>
          <svg className="chart" width={10} height={10} aria-hidden="true">
            <rect className={result} width={10} height={10} />
          </svg>
          <Text size="xs">{result}</Text>
        </Group>
      ))}
    </Group>
  )
}

function Refusals({ events, state }: WithEvents) {
  const logins = loginsOf(events)
  const reasons = countReasons(logins).slice(0, MAX_REASONS)
  const most = reasons[0]?.count ?? 1
  return (
    <Section title="Refusals by reason" aside={<PageLink to="/decisions">Decisions</PageLink>}>
      {reasons.length === 0 ? (
        <Text c="dimmed">
          {state === 'refused' ? NOT_ALLOWED : "No refusals among the events in the controller's memory."}
        </Text>
      ) : (
        <Text size="sm" c="dimmed">
          Of {logins.length} logins among the events in the controller's memory.
        </Text>
      )}
      {reasons.map(({ reason, count }) => (
        <div key={reason}>
          <Group justify="space-between">
            <PageLink to="/decisions" search={{ q: reason }} size="sm">
              {reason}
            </PageLink>
            <Text size="sm">{count}</Text>
          </Group>
          <Progress value={(count / most) * 100} color="red" aria-label={`${reason}: ${count}`} />
        </div>
      ))}
    </Section>
  )
}

function Recent({ events, state }: WithEvents) {
  const recent = events.slice(-RECENT).reverse()
  const nameOf = useNames(recent)
  return (
    <Section title="Recent events" aside={<PageLink to="/events">All events</PageLink>}>
      {recent.length === 0 && <Text c="dimmed">{state === 'refused' ? NOT_ALLOWED : 'No events yet.'}</Text>}
      {recent.map((event) => (
        <EventLine key={event.streamId} event={event} nameOf={nameOf} />
      ))}
    </Section>
  )
}

function loginsOf(events: readonly ControllerEvent[]): ControllerEvent[] {
  return events.filter(({ namespace }) => namespace === 'authentication')
}
