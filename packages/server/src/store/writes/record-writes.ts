import type { CompiledQuery, Kysely } from 'kysely'
import { readEventLines } from '../event-lines.ts'
import type { PendingKind } from '../event-schema.ts'
import { prepared, preparedQuery } from '../prepared.ts'
import { hasPendingEvents } from '../reads/event-sink-reads.ts'
import type { Database } from '../schema.ts'
import type { Transaction } from '../transaction.ts'
import { lockOutbox, placeEvents } from './outbox-writes.ts'

type Db = Kysely<Database>

/** What an operation has recorded. */
export interface NewRecord {
  readonly node: string
  readonly at: number
  readonly kind: PendingKind
  readonly content: string
}

const buildInsert = (db: Db, node: string, at: number, kind: PendingKind, content: string) =>
  db.insertInto('pending_records').values({ node, at, kind, content })
const insertRecord = prepared(4, buildInsert)
const insertQuery = preparedQuery(4, buildInsert)

/** Stores a record, which has no position yet. */
export async function insertPendingRecord(db: Db, { node, at, kind, content }: NewRecord): Promise<void> {
  await insertRecord(db, node, at, kind, content)
}

/**
 * Stores what the operations of a transaction have recorded, at its end. SQLite has one transaction at a time: events get their positions here and are
 * written once, unless an event before them waits for its own. Changes always wait: logins would have to wait while their events and audit entries are
 * built.
 */
export async function insertRecords(
  on: Pick<Transaction, 'db' | 'dialect'>,
  records: readonly NewRecord[],
): Promise<void> {
  const { events = [], others = [] } = Object.groupBy(records, ({ kind }) => (kind === 'events' ? kind : 'others'))
  const hasPlaces =
    events.length > 0 && others.every(({ kind }) => kind !== 'change') && !(await hasPendingEvents(on.db))
  if (hasPlaces) {
    const placed = events.flatMap(({ content }) => readEventLines(content))
    await placeEvents(on, placed, await lockOutbox(on))
  }
  for (const record of joinRecords(hasPlaces ? others : records)) await insertPendingRecord(on.db, record)
}

/**
 * The statements that store the records of a transaction on PostgreSQL. Transactions commit beside each other there: a position that one of them took
 * could become visible after a higher one of another, which a reader has passed. All records wait for `arrangeRecords`, which runs alone.
 */
export function pendingRecordQueries(db: Db, records: readonly NewRecord[]): CompiledQuery[] {
  return joinRecords(records).map(({ node, at, kind, content }) => insertQuery(db, node, at, kind, content))
}

/** Operations whose events share a row: a row stays small enough to be read at once. */
const MAX_JOINED = 64

/** Joins the events of operations that are committed together: one row costs much less than many. */
export function joinRecords(records: readonly NewRecord[]): NewRecord[] {
  const joined: NewRecord[] = []
  let lines: string[] = []
  let last: NewRecord | undefined
  const end = (): void => {
    if (last) joined.push({ ...last, content: lines.join('\n') })
    last = undefined
    lines = []
  }
  for (const record of records) {
    if (record.kind !== 'events') {
      end()
      joined.push(record)
      continue
    }
    if (last?.node !== record.node || lines.length >= MAX_JOINED) end()
    lines.push(record.content)
    last = record
  }
  end()
  return joined
}
