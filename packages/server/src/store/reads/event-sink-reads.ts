import type { SinkEvent } from '@countersign/core'
import type { Kysely } from 'kysely'
import { notFound } from '../not-found.ts'
import { prepared } from '../prepared.ts'
import type { Database } from '../schema.ts'
import { type StoredSink, sinkFromRow } from '../sink-row.ts'

type Db = Kysely<Database>

const sinkById = prepared(1, (db, id: string) => db.selectFrom('event_sinks').selectAll().where('id', '=', id))
const anySink = prepared(0, (db) => db.selectFrom('event_sinks').select('id').limit(1))
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
  const state = await db.selectFrom('outbox_state').select('position').where('id', '=', 1).executeTakeFirstOrThrow()
  const oldest = await db.selectFrom('event_outbox').select('position').orderBy('position').limit(1).executeTakeFirst()
  const last = Number(state.position)
  return { first: oldest ? Number(oldest.position) : last + 1, last }
}

/** The next events after a position, in their order. */
export async function loadOutbox(db: Db, after: number, limit: number): Promise<SinkEvent[]> {
  const rows = await db
    .selectFrom('event_outbox')
    .selectAll()
    .where('position', '>', after)
    .orderBy('position')
    .limit(limit)
    .execute()
  return rows.map(({ id, position, at, content }) => ({ id, position, at, text: content }))
}
