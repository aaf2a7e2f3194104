import type { Kysely } from 'kysely'
import type { OwnChange } from './change.ts'
import type { OperationMeta } from './operation-meta.ts'
import type { Database } from './schema.ts'
import type { SessionCounts } from './session-counts.ts'
import type { SessionFiling } from './sqlite/session-filing.ts'

export type StoreDialect = 'sqlite' | 'postgres'

/** What the statements of one operation run in. */
export interface Transaction extends OperationMeta {
  readonly db: Kysely<Database>
  readonly dialect: StoreDialect
  /** On the embedded database. */
  readonly sessionCounts?: SessionCounts | undefined
  /** On the embedded database. */
  readonly sessionFiling?: SessionFiling | undefined
  /** Notes a change: it is logged in the same transaction, and caches learn of it after the commit. */
  changed(change: OwnChange): void
}
