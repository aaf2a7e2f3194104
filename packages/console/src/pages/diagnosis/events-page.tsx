import { Accordion, Code, Group, MultiSelect, Paper, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { ControllerEvent, StreamState } from '../../api/event-stream.ts'
import { useEvents } from '../../api/use-events.ts'
import { StreamBadge } from '../../show/badges.tsx'
import { decisionIdOf, type NameOf } from '../../show/describe-event.ts'
import { EventLine } from '../../show/event-line.tsx'
import { PageLink } from '../../show/links.tsx'
import { PageHead } from '../../show/page-head.tsx'
import { useNames } from '../../show/use-names.ts'

const NAMESPACES = [
  { value: 'authentication', label: 'Logins' },
  { value: 'apiSession', label: 'Sessions' },
  { value: 'entityChange', label: 'Changes' },
  { value: 'signerHealth', label: 'Signer health' },
  { value: 'enrollment', label: 'Enrollments' },
  { value: 'identitySync', label: 'Synchronised identities' },
  { value: 'providerEvent', label: 'Provider messages' },
  { value: 'apiAccount', label: 'API accounts' },
]
const MAX_SHOWN = 200

/** The events of this node, live, newest first. */
export function EventsPage() {
  const [namespaces, setNamespaces] = useState<string[]>([])
  const [text, setText] = useState('')
  const { events, state } = useEvents(namespaces)
  const searchText = text.trim().toLowerCase()
  const matching =
    searchText === '' ? events : events.filter((event) => JSON.stringify(event).toLowerCase().includes(searchText))
  const shown = matching.slice(-MAX_SHOWN).reverse()
  const nameOf = useNames(shown.toReversed())
  return (
    <Stack>
      <PageHead title="Events" description="Events of this controller, live. It keeps the last 4,096 in memory.">
        <StreamBadge state={state} />
      </PageHead>
      <Group align="end">
        <MultiSelect
          label="Namespaces"
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
        {matching.length > MAX_SHOWN
          ? `The newest ${MAX_SHOWN} of ${matching.length} events`
          : `${matching.length} ${matching.length === 1 ? 'event' : 'events'}`}
      </Text>
      {shown.length === 0 ? (
        <Paper withBorder p="lg">
          <Text c="dimmed" ta="center">
            {emptyText(state, searchText !== '' || namespaces.length > 0)}
          </Text>
        </Paper>
      ) : (
        <Accordion variant="separated" chevronPosition="left">
          {shown.map((event) => (
            <Accordion.Item key={event.streamId} value={event.streamId}>
              <Group gap={0} wrap="nowrap">
                <Accordion.Control>
                  <EventLine event={event} nameOf={nameOf} />
                </Accordion.Control>
                <DecisionLink event={event} />
              </Group>
              <Accordion.Panel>
                <IdentityLink event={event} nameOf={nameOf} />
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

/** Why the request was refused. A flood leaves events without a decision: its page says so. */
function DecisionLink({ event }: { readonly event: ControllerEvent }) {
  const id = decisionIdOf(event)
  if (id === undefined) return null
  return (
    <PageLink to="/decisions/$id" params={{ id }} size="sm" px="sm" aria-label={`Decision about the request ${id}`}>
      Decision
    </PageLink>
  )
}

function IdentityLink({ event, nameOf }: { readonly event: ControllerEvent; readonly nameOf: NameOf }) {
  const { identity_id: id } = event
  if (typeof id !== 'string' || id === '') return null
  return (
    <Text size="sm" mb="xs">
      Identity:{' '}
      <PageLink to="/identities/$id" params={{ id }} inherit>
        {nameOf(id) ?? id}
      </PageLink>
    </Text>
  )
}

function emptyText(state: StreamState, isFiltered: boolean): string {
  if (state === 'refused') return 'Your session has no permission to read events.'
  if (state === 'connecting') return 'Waiting for the controller.'
  return isFiltered ? 'No matching events.' : 'No events yet.'
}
