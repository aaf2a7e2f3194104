import type { Kysely } from 'kysely'
import { eventLines, type RecordedEvent } from '../event-lines.ts'
import type { PendingRecordRow } from '../event-schema.ts'
import { prepared, preparedForIds } from '../prepared.ts'
import { hasSinks, MAX_ROW_EVENTS } from '../reads/event-sink-reads.ts'
import { findLocalOrganization } from '../reads/organization-reads.ts'
import type { Database } from '../schema.ts'
import type { Transaction } from '../transaction.ts'
import { skipLocked } from './skip-locked.ts'

type Db = Kysely<Database>

const outboxState = (db: Db) => db.selectFrom('outbox_state').select('position').where('id', '=', 1)
const readState = prepared(0, outboxState)
const lockState = prepared(0, (db) => outboxState(db).forUpdate())

/** Locks the outbox until the end of the transaction. Returns the position of its newest event. */
export async function lockOutbox({ db, dialect }: Pick<Transaction, 'db' | 'dialect'>): Promise<number> {
  const [row] = await (dialect === 'postgres' ? lockState(db) : readState(db))
  return Number(row?.position)
}

const pendingRecords = prepared(1, (db, limit: number) =>
  db.selectFrom('pending_records').selectAll().orderBy('seq').limit(limit),
)
const deleteRecords = preparedForIds(0, (db, seqs) =>
  db.deleteFrom('pending_records').where('seq', 'in', seqs as readonly unknown[] as readonly number[]),
)
const insertEvent = prepared(4, (db, position: number, id: string, at: number, content: string) =>
  db.insertInto('event_outbox').values({ position, id, at, content }),
)
const setNewest = prepared(1, (db, position: number) =>
  db.updateTable('outbox_state').set({ position }).where('id', '=', 1),
)

/** The next records without a position. The outbox must be locked. */
export function loadPendingRecords({ db }: Pick<Transaction, 'db'>, limit: number): Promise<PendingRecordRow[]> {
  return pendingRecords(db, limit)
}

/** Deletes exactly these: a lower number can belong to a record that was committed meanwhile. */
export async function deletePendingRecords({ db }: Pick<Transaction, 'db'>, seqs: readonly number[]): Promise<void> {
  await deleteRecords(db, seqs as readonly unknown[] as readonly string[])
}

/** Gives events of the controller the positions after `newest`, while there are sinks. The outbox must be locked. */
export async function placeEvents(
  { db }: Pick<Transaction, 'db'>,
  events: readonly RecordedEvent[],
  newest: number,
): Promise<void> {
  if (events.length === 0 || !(await hasSinks(db))) return
  await insertEvents(db, await ofController(db, events), newest)
}

async function ofController(db: Db, events: readonly RecordedEvent[]): Promise<readonly RecordedEvent[]> {
  if (events.every(({ organizationId }) => organizationId === undefined)) return events
  const local = await findLocalOrganization(db)
  return events.filter(({ organizationId }) => organizationId === undefined || organizationId === local)
}

async function insertEvents(db: Db, events: readonly RecordedEvent[], newest: number): Promise<void> {
  for (let from = 0; from < events.length; from += MAX_ROW_EVENTS) {
    const row = events.slice(from, from + MAX_ROW_EVENTS)
    const at = row.reduce((latest, event) => Math.max(latest, event.at), 0)
    await insertEvent(db, newest + from + row.length, row.at(-1)?.id ?? '', at, eventLines(row))
  }
  if (events.length > 0) await setNewest(db, newest + events.length)
}

/** Deletes up to `limit` of the oldest rows, whose events are older than `before` or stand before the position `first`. Returns how many it deleted. */
export async function deleteOldEvents(
  { db, dialect }: Transaction,
  { before, first, limit }: { readonly before: number; readonly first: number; readonly limit: number },
): Promise<number> {
  const oldest = await db
    .selectFrom('event_outbox')
    .select(['position', 'at'])
    .orderBy('position')
    .limit(limit)
    .execute()
  const kept = oldest.findIndex(({ position, at }) => position >= first && at >= before)
  const until = (kept === -1 ? oldest : oldest.slice(0, kept)).at(-1)?.position
  if (until === undefined) return 0
  const old = db.selectFrom('event_outbox').select('position').where('position', '<=', until)
  const deleted = db.deleteFrom('event_outbox').where('position', 'in', skipLocked(dialect, old))
  return (await deleted.returning('position').execute()).length
}
