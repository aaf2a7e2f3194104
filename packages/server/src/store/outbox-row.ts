import type { SinkEvent } from '@countersign/core'
import { countEventLines, readEventLines } from './event-lines.ts'
import type { EventOutboxRow } from './event-schema.ts'

/** Events that were given positions together. */
export interface OutboxRow {
  /** Of its last event. */
  readonly position: number
  /** Of its last event. */
  readonly id: string
  /** When the newest of them happened. */
  readonly at: number
  /** The lines of the events. */
  readonly content: string
}

export function outboxRowOf({ position, id, at, content }: EventOutboxRow): OutboxRow {
  return { position: Number(position), id, at: Number(at), content }
}

/** The position of its first event. */
export function firstPositionOf({ position, content }: Pick<OutboxRow, 'position' | 'content'>): number {
  return position + 1 - (isOneEvent(content) ? 1 : countEventLines(content))
}

export function eventsOf({ position, id, at, content }: OutboxRow): SinkEvent[] {
  if (isOneEvent(content)) return [{ id, position, at, text: content }]
  const lines = readEventLines(content)
  const first = position + 1 - lines.length
  return lines.map((event, index) => ({ id: event.id, position: first + index, at: event.at, text: event.text }))
}

/** Whether an earlier release wrote the row. */
function isOneEvent(content: string): boolean {
  return content.startsWith('{')
}
