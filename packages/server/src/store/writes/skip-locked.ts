import type { SelectQueryBuilder } from 'kysely'
import type { StoreDialect } from '../transaction.ts'

/**
 * Locks the selected rows, without those that another transaction has locked. What cleans up uses it, and so never waits for a row: it cannot be
 * part of a deadlock. SQLite has one transaction that writes at a time.
 */
export function skipLocked<DB, Tables extends keyof DB, Row>(
  dialect: StoreDialect,
  rows: SelectQueryBuilder<DB, Tables, Row>,
): SelectQueryBuilder<DB, Tables, Row> {
  return dialect === 'postgres' ? rows.forUpdate().skipLocked() : rows
}
