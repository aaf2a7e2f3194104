import { Accordion, Code, Group, MultiSelect, Paper, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useEvents } from '../../api/use-events.ts'
import { StreamBadge } from '../../show/badges.tsx'
import { describeEvent } from '../../show/describe-event.ts'
import { Instant } from '../../show/instant.tsx'
import { PageHead } from '../../show/page-head.tsx'

const NAMESPACES = ['authentication', 'apiSession', 'entityChange', 'signerHealth', 'enrollment']
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
        {matching.length > MOST_SHOWN ? `The newest ${MOST_SHOWN} of ${matching.length}` : `${matching.length} events`}
      </Text>
      {shown.length === 0 ? (
        <Paper withBorder p="lg">
          <Text c="dimmed" ta="center">
            {state === 'refused' ? 'Your session may not read events.' : 'Nothing has happened yet.'}
          </Text>
        </Paper>
      ) : (
        <Accordion variant="separated" chevronPosition="left">
          {shown.map((event) => (
            <Accordion.Item key={event.streamId} value={event.streamId}>
              <Accordion.Control>
                <Group gap="xs" justify="space-between">
                  <Text size="sm" className="breakable">
                    {describeEvent(event)}
                  </Text>
                  <Text size="xs" c="dimmed">
                    <Instant at={event.timestamp} />
                  </Text>
                </Group>
              </Accordion.Control>
              <Accordion.Panel>
                <Code block>{JSON.stringify(event, null, 2)}</Code>
              </Accordion.Panel>
            </Accordion.Item>
          ))}
        </Accordion>
      )}
    </Stack>
  )
}
