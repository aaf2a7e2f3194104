import type { Insertable, Kysely } from 'kysely'
import { prepared } from '../prepared.ts'
import type { ChangeLogTable, Database } from '../schema.ts'
import type { Transaction } from '../transaction.ts'
import { skipLocked } from './skip-locked.ts'

type NewEntry = Omit<Insertable<ChangeLogTable>, 'seq'>

const COLUMNS = [
  'at',
  'entity',
  'entity_id',
  'action',
  'actor_id',
  'before_hash',
  'after_hash',
  'source_address',
] as const satisfies (keyof NewEntry)[]

const insertEntry = prepared(COLUMNS.length, (db, ...values: unknown[]) =>
  db
    .insertInto('change_log')
    .values(Object.fromEntries(COLUMNS.map((column, at) => [column, values[at]])) as unknown as NewEntry)
    .returning('seq'),
)

/** Appends an entry and returns its number. */
export async function insertChange(db: Kysely<Database>, entry: NewEntry): Promise<number> {
  const [row] = await insertEntry(db, ...COLUMNS.map((column) => entry[column] ?? null))
  return Number(row?.seq)
}

const BATCH = 500

/** Appends entries in few statements: on PostgreSQL each is a round trip. Returns their numbers in the same order. */
export async function insertChanges(db: Kysely<Database>, entries: readonly NewEntry[]): Promise<number[]> {
  const numbers: number[] = []
  for (let at = 0; at < entries.length; at += BATCH) {
    const inserted = db
      .insertInto('change_log')
      .values(entries.slice(at, at + BATCH))
      .returning('seq')
    const batch = (await inserted.execute()).map(({ seq }) => Number(seq))
    numbers.push(...batch.sort((a, b) => a - b))
  }
  return numbers
}

/** Deletes up to `limit` entries older than `before`, oldest first. Returns how many it deleted. */
export async function deleteOldChanges({ db, dialect }: Transaction, before: number, limit: number): Promise<number> {
  const old = db.selectFrom('change_log').select('seq').where('at', '<', before).orderBy('seq').limit(limit)
  const deleted = db.deleteFrom('change_log').where('seq', 'in', skipLocked(dialect, old))
  return (await deleted.returning('seq').execute()).length
}
