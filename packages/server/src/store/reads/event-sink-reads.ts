import type { SinkEvent } from '@countersign/core'
import type { Kysely } from 'kysely'
import { countEventLines, readEventLines } from '../event-lines.ts'
import type { EventOutboxRow } from '../event-schema.ts'
import { notFound } from '../not-found.ts'
import { prepared } from '../prepared.ts'
import type { Database } from '../schema.ts'
import { type StoredSink, sinkFromRow } from '../sink-row.ts'

type Db = Kysely<Database>

const sinkById = prepared(1, (db, id: string) => db.selectFrom('event_sinks').selectAll().where('id', '=', id))
const anySink = prepared(0, (db) => db.selectFrom('event_sinks').select('id').limit(1))
const newestPosition = prepared(0, (db) => db.selectFrom('outbox_state').select('position').where('id', '=', 1))
const oldestRow = prepared(0, (db) =>
  db.selectFrom('event_outbox').select(['position', 'content']).orderBy('position').limit(1),
)
const rowsBetween = prepared(2, (db, after: number, last: number) =>
  db
    .selectFrom('event_outbox')
    .selectAll()
    .where('position', '>', after)
    .where('position', '<=', last)
    .orderBy('position'),
)
const anyPending = prepared(0, (db) => db.selectFrom('pending_records').select('seq').limit(1))

export async function findSink(db: Db, id: string): Promise<StoredSink | undefined> {
  const [row] = await sinkById(db, id)
  return row && sinkFromRow(row)
}

/** Fails with NOT_FOUND. */
export async function getSink(db: Db, id: string): Promise<StoredSink> {
  const sink = await findSink(db, id)
  if (!sink) throw notFound('eventSink', id)
  return sink
}

export async function listSinks(db: Db): Promise<StoredSink[]> {
  return (await db.selectFrom('event_sinks').selectAll().orderBy('id').execute()).map((row) => sinkFromRow(row))
}

export async function hasSinks(db: Db): Promise<boolean> {
  return (await anySink(db)).length > 0
}

export async function hasPendingRecords(db: Db): Promise<boolean> {
  return (await anyPending(db)).length > 0
}

/** The positions of the oldest event that is kept and of the newest one; `first` is `last + 1` when none is kept. */
export interface OutboxRange {
  readonly first: number
  readonly last: number
}

export async function loadOutboxRange(db: Db): Promise<OutboxRange> {
  const last = await loadNewestPosition(db)
  const [oldest] = await oldestRow(db)
  return { first: oldest ? Number(oldest.position) + 1 - countEvents(oldest.content) : last + 1, last }
}

/** The position of the newest event. */
export async function loadNewestPosition(db: Db): Promise<number> {
  const [state] = await newestPosition(db)
  return Number(state?.position)
}

/** Events of one row of the outbox. */
export const MAX_ROW_EVENTS = 100
/** Of a delivery: each is noted, which costs as much as many events. */
const [MAX_EVENTS, MAX_CHARACTERS] = [1_000, 1_048_576]

/** The next events after a position, in their order: up to a thousand, fewer if they are long. None when that which follows has been deleted. */
export async function loadOutbox(db: Db, after: number): Promise<SinkEvent[]> {
  const events: SinkEvent[] = []
  for (let characters = 0, last = after; events.length < MAX_EVENTS && characters < MAX_CHARACTERS; ) {
    // The row of the next event ends at the latest there.
    const rows = await rowsBetween(db, last, last + MAX_ROW_EVENTS)
    const next = rows.flatMap(eventsOf).filter(({ position }) => position > last)
    // Meanwhile, the oldest events can be deleted.
    const isGap = events.length > 0 && next[0]?.position !== last + 1
    if (next.length === 0 || isGap) break
    events.push(...next)
    characters += rows.reduce((sum, { content }) => sum + content.length, 0)
    last = next.at(-1)?.position ?? last
  }
  return events
}

function eventsOf({ position, id, at, content }: EventOutboxRow): SinkEvent[] {
  if (isOneEvent(content)) return [{ id, position: Number(position), at: Number(at), text: content }]
  const lines = readEventLines(content)
  const first = Number(position) + 1 - lines.length
  return lines.map((event, index) => ({ id: event.id, position: first + index, at: event.at, text: event.text }))
}

function countEvents(content: string): number {
  return isOneEvent(content) ? 1 : countEventLines(content)
}

/** Whether an earlier release wrote the row. */
function isOneEvent(content: string): boolean {
  return content.startsWith('{')
}
