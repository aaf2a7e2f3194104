import type { SinkEvent } from '@countersign/core'
import type { Recipient } from '../../../src/events/sinks/recipient.ts'

export const fileRecipient = (): Recipient => ({
  id: 'id-of-file',
  name: 'kept',
  kind: 'file',
  url: null,
  format: 'json',
  secrets: [],
})

/** Events at positions from `first` on, each about another subject. */
export function eventsFrom(first: number, count: number): SinkEvent[] {
  return Array.from({ length: count }, (_, at) => {
    const position = first + at
    const text = JSON.stringify({ namespace: 'authentication', identity_id: `identity-${position}` })
    return { id: `event-${position}`, position, at: 0, text }
  })
}
