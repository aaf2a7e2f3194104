import { type RawBuilder, sql } from 'kysely'
import type { StoreDialect } from './transaction.ts'

/** A list of ids in SQL. It is one parameter, so that there is one statement however many there are. */
export interface IdList {
  /** The ids as rows with the column `value`, in parentheses. */
  readonly rows: RawBuilder<unknown>
  /** The comparison of an indexed column with them, after its name. */
  readonly isIn: RawBuilder<unknown>
}

/**
 * On PostgreSQL an array: rows of JSON it takes for a hundred, and plans slow joins with them. `isIn` is for an index: a filter compares with each id in
 * turn once PostgreSQL has a plan for all values.
 */
export function idList(dialect: StoreDialect, ids: readonly string[]): IdList {
  if (dialect === 'sqlite') {
    const rows = sql`(select value from json_each(${JSON.stringify(ids)}))`
    return { rows, isIn: sql`in ${rows}` }
  }
  const array = sql`${arrayText(ids)}::text[]`
  return { rows: sql`(select unnest(${array}) as value)`, isIn: sql`= any (${array})` }
}

function arrayText(ids: readonly string[]): string {
  return `{${ids.map((id) => `"${id.replaceAll(/["\\]/g, '\\$&')}"`).join(',')}}`
}
