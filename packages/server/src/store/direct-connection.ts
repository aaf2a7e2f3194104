import type { Kysely } from 'kysely'
import type { Database } from './schema.ts'

/** A synchronous connection. */
export interface DirectConnection {
  /** The rows of a statement; empty for one without rows. Throws the database's error. */
  rowsOf(sql: string, parameters: readonly unknown[]): unknown[]
}

const connections = new WeakMap<Kysely<Database>, DirectConnection>()

/** Declares that `db` has only this connection, so that compiled statements can bypass Kysely. */
export function setDirectConnection(db: Kysely<Database>, connection: DirectConnection): void {
  connections.set(db, connection)
}

/** Undefined where connections come from a pool, or a transaction holds one. */
export function findDirectConnection(db: Kysely<Database>): DirectConnection | undefined {
  return connections.get(db)
}
