import { AppError, echoedValue } from '@countersign/core'
import { type SelectQueryBuilder, sql } from 'kysely'
import type { Database } from './schema.ts'

/** So many of those who refer to something are named; more would help nobody. */
const MAX_NAMED_REFERENCES = 20

/** Refuses to delete what others refer to, and says who they are. Takes the query for the ids of all of them. */
export async function refuseReferenced<Table extends keyof Database>(
  users: SelectQueryBuilder<Database, Table, { id: string }>,
  { field, entity, by }: { readonly field: string; readonly entity: string; readonly by: string },
): Promise<void> {
  const rows = await users.orderBy(sql`id`).limit(MAX_NAMED_REFERENCES).execute()
  if (rows.length === 0) return
  const ids = `[${rows.map(({ id }) => id).join(' ')}]`
  const reason = `entity type ${entity} referenced by ${by}: ${ids}`
  throw new AppError('CAN_NOT_DELETE_REFERENCED_ENTITY', { field, reason, value: echoedValue(ids) })
}
