import type { Kysely } from 'kysely'
import type { OwnChange } from './change.ts'
import type { IdleSessions } from './idle-sessions.ts'
import type { OperationMeta } from './operation-meta.ts'
import type { Database } from './schema.ts'

export type StoreDialect = 'sqlite' | 'postgres'

/** The context of one operation's statements. */
export interface Transaction extends OperationMeta {
  readonly db: Kysely<Database>
  readonly dialect: StoreDialect
  readonly idleSessions?: IdleSessions | undefined
  /** Reports a change: it is logged in the same transaction, and published to caches after the commit. */
  changed(change: OwnChange): void
}
