import type { Kysely } from 'kysely'
import type { OwnChange } from './change.ts'
import type { Database } from './schema.ts'
import type { SessionCounts } from './session-counts.ts'
import type { SessionFiling } from './sqlite/session-filing.ts'

export type StoreDialect = 'sqlite' | 'postgres'

/** Who asks for a write and when; `actorId` is `system` for the controller itself. */
export interface WriteMeta {
  readonly actorId: string
  readonly now: number
  /** The versions of the thing, one of which the caller saw before he decided; any unless given. */
  readonly ifMatch?: string
  /** The call that asked for it, for the record. */
  readonly source?: WriteSource
}

export interface WriteSource {
  readonly authorName: string
  /** The HTTP method. */
  readonly method: string
  readonly localAddr: string
  readonly remoteAddr: string
}

export interface WriteContext extends WriteMeta {
  readonly db: Kysely<Database>
  readonly dialect: StoreDialect
  /** On the embedded database. */
  readonly sessionCounts?: SessionCounts | undefined
  /** On the embedded database. */
  readonly sessionFiling?: SessionFiling | undefined
  /** Notes what was changed: it is logged in the same transaction, and caches hear of it after the commit. */
  changed(change: OwnChange): void
}

/**
 * A named transaction. It runs on the writer's connection, so its arguments and result must be JSON,
 * and an `AppError` it throws undoes it and reaches the caller as thrown.
 */
export type WriteOperation<Args, Result> = (context: WriteContext, args: Args) => Promise<Result>
