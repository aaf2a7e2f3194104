import { Accordion, Code, Group, MultiSelect, Paper, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { StreamState } from '../../api/event-stream.ts'
import { useEvents } from '../../api/use-events.ts'
import { StreamBadge } from '../../show/badges.tsx'
import { EventLine } from '../../show/event-line.tsx'
import { PageHead } from '../../show/page-head.tsx'
import { useNames } from '../../show/use-names.ts'

const NAMESPACES = [
  { value: 'authentication', label: 'Sign-ins' },
  { value: 'apiSession', label: 'Sessions' },
  { value: 'entityChange', label: 'Changes' },
  { value: 'signerHealth', label: 'Health of signers' },
  { value: 'enrollment', label: 'Enrollments' },
]
const MOST_SHOWN = 200

/** What happens on this node, as it happens, newest first. */
export function EventsPage() {
  const [namespaces, setNamespaces] = useState<string[]>([])
  const [text, setText] = useState('')
  const { events, state } = useEvents(namespaces)
  const wanted = text.trim().toLowerCase()
  const matching =
    wanted === '' ? events : events.filter((event) => JSON.stringify(event).toLowerCase().includes(wanted))
  const shown = matching.slice(-MOST_SHOWN).reverse()
  const nameOf = useNames(shown.toReversed())
  return (
    <Stack>
      <PageHead
        title="Events"
        description="What happens on this controller, as it happens. It remembers its last 4,096 events."
      >
        <StreamBadge state={state} />
      </PageHead>
      <Group align="end">
        <MultiSelect
          label="Kinds"
          data={NAMESPACES}
          value={namespaces}
          onChange={setNamespaces}
          placeholder={namespaces.length ? '' : 'All'}
          clearable
          flex="1 1 14rem"
        />
        <TextInput
          type="search"
          label="Containing"
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
          flex="1 1 14rem"
        />
      </Group>
      <Text size="sm" c="dimmed" aria-live="polite">
        {matching.length > MOST_SHOWN
          ? `The newest ${MOST_SHOWN} of ${matching.length} events`
          : `${matching.length} ${matching.length === 1 ? 'event' : 'events'}`}
      </Text>
      {shown.length === 0 ? (
        <Paper withBorder p="lg">
          <Text c="dimmed" ta="center">
            {emptyText(state, wanted !== '' || namespaces.length > 0)}
          </Text>
        </Paper>
      ) : (
        <Accordion variant="separated" chevronPosition="left">
          {shown.map((event) => (
            <Accordion.Item key={event.streamId} value={event.streamId}>
              <Accordion.Control>
                <EventLine event={event} nameOf={nameOf} />
              </Accordion.Control>
              <Accordion.Panel>
                <Code block className="wrapped-code">
                  {JSON.stringify(event, null, 2)}
                </Code>
              </Accordion.Panel>
            </Accordion.Item>
          ))}
        </Accordion>
      )}
    </Stack>
  )
}

function emptyText(state: StreamState, isNarrowed: boolean): string {
  if (state === 'refused') return 'Your session may not read events.'
  if (state === 'connecting') return 'Waiting for the controller.'
  return isNarrowed
    ? 'Nothing of the kind has happened, as far as this controller remembers.'
    : 'Nothing has happened yet.'
}
