import type { Kysely } from 'kysely'
import type { OwnChange } from './change.ts'
import type { IdleSessions } from './idle-sessions.ts'
import type { OperationMeta } from './operation-meta.ts'
import type { Database } from './schema.ts'
import type { SessionCounts } from './session-counts.ts'
import type { SessionIndexer } from './sqlite/session-indexer.ts'

export type StoreDialect = 'sqlite' | 'postgres'

/** The context of one operation's statements. */
export interface Transaction extends OperationMeta {
  readonly db: Kysely<Database>
  readonly dialect: StoreDialect
  /** SQLite only. */
  readonly sessionCounts?: SessionCounts | undefined
  /** SQLite only. */
  readonly idleSessions?: IdleSessions | undefined
  /** SQLite only. */
  readonly sessionIndexer?: SessionIndexer | undefined
  /** Reports a change: it is logged in the same transaction, and published to caches after the commit. */
  changed(change: OwnChange): void
}
