import { type Insertable, type RawBuilder, sql } from 'kysely'
import { prepared } from '../prepared.ts'
import type { ChangeLogTable } from '../schema.ts'
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

/** Deletes up to `limit` entries older than `before`, oldest first. Returns how many it deleted. */
export async function deleteOldChanges({ db, dialect }: Transaction, before: number, limit: number): Promise<number> {
  const old = db.selectFrom('change_log').select('seq').where('at', '<', before).orderBy('seq').limit(limit)
  const deleted = db.deleteFrom('change_log').where('seq', 'in', skipLocked(dialect, old))
  return (await deleted.returning('seq').execute()).length
}
