import type { Recipient } from '../../../src/events/sinks/recipient.ts'
import type { OutboxBatch } from '../../../src/events/sinks/send-batch.ts'
import { eventLines } from '../../../src/store/event-lines.ts'

export const fileRecipient = (): Recipient => ({
  id: 'id-of-file',
  name: 'kept',
  kind: 'file',
  url: null,
  format: 'json',
  filter: null,
  secrets: [],
})

/** Events at positions from `first` on, each about another subject. */
export function batchFrom(first: number, count: number): OutboxBatch {
  const events = Array.from({ length: count }, (_, at) => {
    const position = first + at
    return { id: `event-${position}`, at: 0, text: textOf(position) }
  })
  const last = first + count - 1
  return {
    rows: [{ position: last, id: `event-${last}`, at: 0, content: eventLines(events) }],
    after: first - 1,
    ahead: [],
  }
}

const textOf = (position: number): string =>
  JSON.stringify({ namespace: 'authentication', identity_id: `identity-${position}` })
