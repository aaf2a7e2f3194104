import { Group, Text } from '@mantine/core'
import type { ControllerEvent } from '../api/event-stream.ts'
import { describeEvent, type NameOf, needsAttention } from './describe-event.ts'
import { Ago } from './instant.tsx'

/** One event with its time. */
export function EventLine({ event, nameOf }: { readonly event: ControllerEvent; readonly nameOf: NameOf }) {
  return (
    <Group gap="0 xs" justify="space-between">
      <Text size="sm" className="breakable" {...(needsAttention(event) && { c: 'var(--mantine-color-error)' })}>
        {describeEvent(event, nameOf)}
      </Text>
      <Text size="xs" c="dimmed">
        <Ago at={event.timestamp} />
      </Text>
    </Group>
  )
}
