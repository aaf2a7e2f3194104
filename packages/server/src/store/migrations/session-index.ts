import { countedTable } from './counted-table.ts'
import type { ColumnTypes, Migration } from './migration.ts'

/** Indexes sessions by identity in the table itself. SQLite had a table for it that was filled later, and the view found both. */
export const sessionIndex: Migration = {
  version: 10,
  name: 'session-index',
  statements: (types) => ['drop view session_owners', ...(types.dialect === 'sqlite' ? indexOnSqlite(types) : [])],
}

function indexOnSqlite({ trigger }: ColumnTypes): string[] {
  return [
    'drop trigger api_sessions_unfiled',
    'drop trigger identities_without_sessions',
    'drop trigger api_sessions_counted_out',
    'drop table filed_sessions',
    'drop table session_filing',
    'create index api_sessions_identity_id on api_sessions (identity_id, created_at desc, id)',
    ...trigger({
      name: 'identities_without_sessions',
      table: 'identities',
      event: 'delete',
      run: 'delete from api_sessions where identity_id = old.id',
    }),
    "delete from row_counts where table_name = 'api_sessions'",
    ...countedTable('api_sessions', { trigger }),
  ]
}
