import type { Kysely } from 'kysely'
import type { Database } from './schema.ts'

/**
 * Runs compiled statements without Kysely, on PostgreSQL as prepared statements. Bench rows on PostgreSQL, on a busy machine: "login by JWT, RS256"
 * 0.35 to 0.38 ms of CPU time with it and 0.45 without, at a target of 0.30; "session and second factor" 0.28 to 0.29 and 0.36, at 0.15.
 */
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
