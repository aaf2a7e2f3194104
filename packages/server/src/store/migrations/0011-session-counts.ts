import { countedTable } from './counted-table.ts'
import type { Migration } from './migration.ts'

/**
 * How many sessions there are, where one writer keeps the count in passing. In PostgreSQL every sign-in of every node would wait for the
 * one row, so that there they are counted when somebody asks.
 */
export const sessionCounts: Migration = {
  version: 11,
  name: 'session-counts',
  statements: ({ dialect, trigger }) => (dialect === 'sqlite' ? countedTable('api_sessions', { trigger }) : []),
}
