import type { Kysely } from 'kysely'
import type { Database } from './schema.ts'

/** Runs compiled statements without Kysely, which costs more than most of them. */
export interface DirectConnection {
  /** The rows of a statement; empty for one without rows. Throws, or rejects with, the database's error. */
  rowsOf(sql: string, parameters: readonly unknown[]): unknown[] | Promise<unknown[]>
}

const connections = new WeakMap<Kysely<Database>, DirectConnection>()

export function setDirectConnection(db: Kysely<Database>, connection: DirectConnection): void {
  connections.set(db, connection)
}

/** Undefined in the transaction of a migration. */
export function findDirectConnection(db: Kysely<Database>): DirectConnection | undefined {
  return connections.get(db)
}
