import { type Insertable, type Kysely, sql } from 'kysely'
import type { Change } from '../change.ts'
import type { OperationMeta } from '../operation-meta.ts'
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

/** Appends an entry for each of many changes, without their states, in one statement. Returns their numbers in the same order. */
export async function insertChanges(
  { db, dialect }: Pick<Transaction, 'db' | 'dialect'>,
  changes: readonly Change[],
  { now, actorId }: Pick<OperationMeta, 'now' | 'actorId'>,
): Promise<number[]> {
  if (changes.length === 0) return []
  const list = JSON.stringify(changes.map(({ entity, id, action }) => [entity, id, action]))
  const isSqlite = dialect === 'sqlite'
  const rows = isSqlite ? sql`json_each(${list})` : sql`jsonb_array_elements(${list}::jsonb)`
  const [entity, id, action] = [0, 1, 2].map((at) => sql`value ->> ${sql.lit(isSqlite ? `$[${at}]` : at)}`)
  const inserted = await sql<{ seq: number }>`insert into change_log (at, actor_id, entity, entity_id, action)
    select cast(${now} as bigint), ${actorId}, ${entity}, ${id}, ${action} from ${rows} as changes returning seq`.execute(
    db,
  )
  return inserted.rows.map(({ seq }) => Number(seq)).sort((a, b) => a - b)
}

/** Deletes up to `limit` entries older than `before`, oldest first. Returns how many it deleted. */
export async function deleteOldChanges({ db, dialect }: Transaction, before: number, limit: number): Promise<number> {
  const old = db.selectFrom('change_log').select('seq').where('at', '<', before).orderBy('seq').limit(limit)
  const deleted = db.deleteFrom('change_log').where('seq', 'in', skipLocked(dialect, old))
  return (await deleted.returning('seq').execute()).length
}
