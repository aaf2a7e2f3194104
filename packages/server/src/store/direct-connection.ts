import type { DatabaseConnection, Kysely } from 'kysely'
import type { Database } from './schema.ts'

const connections = new WeakMap<Kysely<Database>, DatabaseConnection>()

/** Says that `db` has this one connection and no other: statements that are put together already may go straight to it. */
export function setDirectConnection(db: Kysely<Database>, connection: DatabaseConnection): void {
  connections.set(db, connection)
}

/** Undefined where connections come from a pool, or a transaction holds one. */
export function findDirectConnection(db: Kysely<Database>): DatabaseConnection | undefined {
  return connections.get(db)
}
