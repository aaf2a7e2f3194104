import type { Kysely } from 'kysely'
import type { Database } from './schema.ts'

/** A connection that answers before it returns. */
export interface DirectConnection {
  /** The rows that a statement gives; none where it gives none. Throws what the database says. */
  rowsOf(sql: string, parameters: readonly unknown[]): unknown[]
}

const connections = new WeakMap<Kysely<Database>, DirectConnection>()

/** Says that `db` has this one connection and no other: statements that are put together already may go straight to it. */
export function setDirectConnection(db: Kysely<Database>, connection: DirectConnection): void {
  connections.set(db, connection)
}

/** Undefined where connections come from a pool, or a transaction holds one. */
export function findDirectConnection(db: Kysely<Database>): DirectConnection | undefined {
  return connections.get(db)
}
