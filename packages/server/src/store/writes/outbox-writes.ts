import type { Kysely } from 'kysely'
import type { EventOutboxRow, PendingKind, PendingRecordRow } from '../event-schema.ts'
import { prepared } from '../prepared.ts'
import type { Database } from '../schema.ts'
import type { Transaction } from '../transaction.ts'
import { skipLocked } from './skip-locked.ts'

type Db = Kysely<Database>

export interface NewRecord {
  readonly node: string
  readonly at: number
  readonly kind: PendingKind
  readonly content: string
}

const insertRecord = prepared(4, (db, node: string, at: number, kind: PendingKind, content: string) =>
  db.insertInto('pending_records').values({ node, at, kind, content }),
)

/** Notes what happens, in the transaction in which it does. */
export async function insertPendingRecord(db: Db, { node, at, kind, content }: NewRecord): Promise<void> {
  await insertRecord(db, node, at, kind, content)
}

/** Locks the outbox until the end of the transaction. Returns the position of its newest event. */
export async function lockOutbox({ db, dialect }: Pick<Transaction, 'db' | 'dialect'>): Promise<number> {
  const state = db.selectFrom('outbox_state').select('position').where('id', '=', 1)
  const row = await (dialect === 'postgres' ? state.forUpdate() : state).executeTakeFirstOrThrow()
  return Number(row.position)
}

/** The next records without a position. The outbox must be locked. */
export function loadPendingRecords({ db }: Pick<Transaction, 'db'>, limit: number): Promise<PendingRecordRow[]> {
  return db.selectFrom('pending_records').selectAll().orderBy('seq').limit(limit).execute()
}

/** Deletes exactly these: a lower number can belong to a record that was committed meanwhile. */
export async function deletePendingRecords({ db }: Pick<Transaction, 'db'>, seqs: readonly number[]): Promise<void> {
  if (seqs.length > 0) await db.deleteFrom('pending_records').where('seq', 'in', seqs).execute()
}

/** Appends events. The outbox must be locked, and the positions follow its newest event. */
export async function insertEvents({ db }: Pick<Transaction, 'db'>, events: readonly EventOutboxRow[]): Promise<void> {
  const last = events.at(-1)
  if (!last) return
  await db.insertInto('event_outbox').values(events).execute()
  await db.updateTable('outbox_state').set({ position: last.position }).where('id', '=', 1).execute()
}

/** Deletes up to `limit` of the oldest events that are older than `before` or stand before the position `first`. Returns how many it deleted. */
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
