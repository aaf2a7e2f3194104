import { type Insertable, type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'
import { prepared } from '../prepared.ts'
import type { ChangeLogTable, Database } from '../schema.ts'
import type { Transaction } from '../transaction.ts'
import { skipLocked } from './skip-locked.ts'

type AuditColumn = 'organization_id' | 'entity_name' | 'changed_members'
export type NewEntry = Omit<Insertable<ChangeLogTable>, 'seq' | AuditColumn> &
  Partial<Pick<Insertable<ChangeLogTable>, AuditColumn>>

const COLUMNS = [
  'at',
  'entity',
  'entity_id',
  'action',
  'actor_id',
  'before_hash',
  'after_hash',
  'source_address',
  'organization_id',
  'entity_name',
  'changed_members',
] as const satisfies (keyof NewEntry)[]

const insertFrom = (rows: (list: string) => RawBuilder<unknown>, valueAt: (index: number) => RawBuilder<string>) => {
  const values = COLUMNS.map((column, index) => {
    const value = valueAt(index)
    // Columns take the types of the values: these are texts on PostgreSQL.
    return (column === 'at' ? sql<string>`cast(${value} as bigint)` : value).as(column)
  })
  return prepared(1, (db, list: string) =>
    db
      .insertInto('change_log')
      .columns(COLUMNS)
      .expression(({ selectFrom }) => selectFrom(rows(list).as('entries')).select(values))
      .returning('seq'),
  )
}

const INSERT = {
  sqlite: insertFrom(
    (list) => sql`json_each(${list})`,
    (index) => sql`value ->> ${sql.lit(`$[${index}]`)}`,
  ),
  postgres: insertFrom(
    (list) => sql`jsonb_array_elements(${list}::jsonb)`,
    (index) => sql`value ->> ${sql.lit(index)}`,
  ),
}

/** Appends entries, in one statement. Returns their numbers in the same order. */
export async function insertEntries(
  { db, dialect }: Pick<Transaction, 'db' | 'dialect'>,
  entries: readonly NewEntry[],
): Promise<number[]> {
  if (entries.length === 0) return []
  const list = JSON.stringify(entries.map((entry) => COLUMNS.map((column) => entry[column] ?? null)))
  return (await INSERT[dialect](db, list)).map(({ seq }) => Number(seq)).sort((a, b) => a - b)
}

/** Deletes up to `limit` of the oldest entries, as far as they are older than `before`. Returns how many it deleted. */
export async function deleteOldChanges({ db, dialect }: Transaction, before: number, limit: number): Promise<number> {
  const oldest = await db.selectFrom('change_log').select(['seq', 'at']).orderBy('seq').limit(limit).execute()
  const kept = oldest.findIndex(({ at }) => at >= before)
  const until = (kept === -1 ? oldest : oldest.slice(0, kept)).at(-1)?.seq
  if (until === undefined) return 0
  const old = db.selectFrom('change_log').select('seq').where('seq', '<=', until)
  return deleteEntries({ db, dialect }, old)
}

/** Deletes up to `limit` entries of sessions and revocations that are older than `before`. Only caches read them. Returns how many it deleted. */
export function deleteOldSessionChanges(tx: Transaction, before: number, limit: number): Promise<number> {
  const old = tx.db
    .selectFrom('change_log')
    .select('seq')
    // As in the index `change_log_sessions`, or the index is not used.
    .where('entity', 'in', [sql.lit('apiSessions'), sql.lit('revocations')])
    .where('at', '<', before)
  return deleteEntries(tx, old.orderBy('at').limit(limit))
}

async function deleteEntries(
  { db, dialect }: Pick<Transaction, 'db' | 'dialect'>,
  seqs: SelectQueryBuilder<Database, 'change_log', { seq: number }>,
): Promise<number> {
  const deleted = db.deleteFrom('change_log').where('seq', 'in', skipLocked(dialect, seqs))
  return (await deleted.returning('seq').execute()).length
}
