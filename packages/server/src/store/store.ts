import type { Kysely } from 'kysely'
import type { WriteArgs, WriteName, WriteResult } from '../operations/operations.ts'
import type { ChangeListener, OwnChangeListener } from './change.ts'
import type { Database } from './schema.ts'
import type { StoreDialect, WriteMeta } from './write-operation.ts'

/** Where the controller keeps what it must not lose: reads on `db`, writes by name, each one durable before it resolves. */
export interface Store {
  readonly dialect: StoreDialect
  /** For reading only. */
  readonly db: Kysely<Database>
  write<Name extends WriteName>(name: Name, args: WriteArgs<Name>, meta: WriteMeta): Promise<WriteResult<Name>>
  /** Listeners hear of a write before the promise of that write resolves. */
  onChange(listener: ChangeListener): void
  /** Listeners hear of writes through this very store, when caches have heard of them. */
  onOwnChange(listener: OwnChangeListener): void
  /** Looks whether another process of this node has written, and tells the listeners before it comes back; only where there may be one. */
  catchUp?(): void
  close(): Promise<void>
}
