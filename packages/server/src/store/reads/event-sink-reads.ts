import type { Kysely } from 'kysely'
import { KINDS_WITH_EVENTS } from '../event-schema.ts'
import { notFound } from '../not-found.ts'
import { firstPositionOf, type OutboxRow, outboxRowOf } from '../outbox-row.ts'
import { prepared } from '../prepared.ts'
import type { Database } from '../schema.ts'
import { type StoredSink, sinkFromRow } from '../sink-row.ts'

type Db = Kysely<Database>

const sinkById = prepared(1, (db, id: string) => db.selectFrom('event_sinks').selectAll().where('id', '=', id))
const anySink = prepared(0, (db) => db.selectFrom('event_sinks').select('id').limit(1))
const newestPosition = prepared(0, (db) => db.selectFrom('outbox_state').select('position').where('id', '=', 1))
const oldestRow = prepared(0, (db) => db.selectFrom('event_outbox').selectAll().orderBy('position').limit(1))
const rowsBetween = prepared(2, (db, after: number, last: number) =>
  db
    .selectFrom('event_outbox')
    .selectAll()
    .where('position', '>', after)
    .where('position', '<=', last)
    .orderBy('position'),
)
const anyPending = prepared(0, (db) => db.selectFrom('pending_records').select('seq').limit(1))
const anyPendingEvent = prepared(0, (db) =>
  db.selectFrom('pending_records').select('seq').where('kind', 'in', KINDS_WITH_EVENTS).limit(1),
)

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

/** Whether events wait for their positions. */
export async function hasPendingEvents(db: Db): Promise<boolean> {
  return (await anyPendingEvent(db)).length > 0
}

/** The positions of the oldest event that is kept and of the newest one; `first` is `last + 1` when none is kept. */
export interface OutboxRange {
  readonly first: number
  readonly last: number
}

export async function loadOutboxRange(db: Db): Promise<OutboxRange> {
  const last = await loadNewestPosition(db)
  const [oldest] = (await oldestRow(db)).map(outboxRowOf)
  return { first: oldest ? firstPositionOf(oldest) : last + 1, last }
}

/** The position of the newest event. */
export async function loadNewestPosition(db: Db): Promise<number> {
  const [state] = await newestPosition(db)
  return Number(state?.position)
}

/** Events of one row of the outbox. */
export const MAX_ROW_EVENTS = 100
/**
 * How far a delivery reads: each is noted, which costs as much as many events. It reads far where a receiver has not taken all of the last one, so that
 * events about others overtake those of a subject that fails, or causes more than the receiver takes.
 */
const REACHES = {
  near: { events: 1_000, characters: 1_048_576 },
  far: { events: 10_000, characters: 8_388_608 },
} as const
export type OutboxReach = keyof typeof REACHES

/**
 * The rows of the next events after a position, in their order, fewer if they are long. The first row can begin with events before it. None when the
 * next event has been deleted.
 */
export async function loadOutbox(db: Db, after: number, reach: OutboxReach): Promise<OutboxRow[]> {
  const { events, characters } = REACHES[reach]
  const rows: OutboxRow[] = []
  for (let last = after; last < after + events && charactersOf(rows) < characters; ) {
    // The row of the next event ends at the latest there.
    const next = (await rowsBetween(db, last, last + MAX_ROW_EVENTS)).map(outboxRowOf)
    // Meanwhile, the oldest events can be deleted.
    if (!next[0] || firstPositionOf(next[0]) > last + 1) break
    rows.push(...next)
    last = next.at(-1)?.position ?? last
  }
  return rows
}

function charactersOf(rows: readonly OutboxRow[]): number {
  return rows.reduce((sum, { content }) => sum + content.length, 0)
}
