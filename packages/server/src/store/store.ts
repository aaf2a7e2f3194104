import type { CompiledQuery, Kysely } from 'kysely'
import type { ChangeListener, OwnChangeListener } from './change.ts'
import type { Operation } from './operation.ts'
import type { OperationMeta } from './operation-meta.ts'
import type { Database } from './schema.ts'
import type { StoreDialect } from './transaction.ts'

/** The database, for the queries in `store/reads`. */
export type ReadDatabase = Kysely<Database>

/** The database of the controller: queries on `db`, changes by operations, each durable before it resolves. */
export interface Store {
  readonly dialect: StoreDialect
  /** For reading only. */
  readonly db: ReadDatabase
  /**
   * Runs a query whose time grows with the data, so that it delays no other request. Callers, identities or organizations, take turns, and so do
   * the members of one, its sessions or accounts. The controller itself, the system actor, waits for none of them. Rejects with TIMEOUT after the deadline.
   */
  readLong<Row>(caller: string, query: CompiledQuery<Row>, member?: string): Promise<Row[]>
  /** Runs an operation in one transaction. Rejects with the `AppError` that it threw, and with STORE_UNAVAILABLE when it could not be committed. */
  run<Args, Result>(operation: Operation<Args, Result>, args: Args, meta: OperationMeta): Promise<Result>
  /** Listeners receive an operation's changes before its promise resolves. */
  onChange(listener: ChangeListener): void
  /** Listeners receive the changes of operations that this store ran, after the listeners of `onChange`. */
  onOwnChange(listener: OwnChangeListener): void
  /** Reads what other processes of this node have written and calls the listeners before it returns. Only where the store is shared. */
  catchUp?(): void
  close(): Promise<void>
}
