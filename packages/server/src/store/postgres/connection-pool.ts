import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import type { Database } from '../schema.ts'

export const CONNECT_TIMEOUT_MS = 5_000
/** For a server that does not respond at all. */
const NO_RESPONSE_MS = 2_000

interface PoolOptions {
  readonly url: string
  readonly max: number
  /** Time limit of a statement. */
  readonly statementMs: number
  readonly name: string
  onWarning(message: string): void
}

export interface ConnectionPool {
  readonly db: Kysely<Database>
  /** Makes the pool replace its idle connections; those in use continue. */
  dropIdle(): void
}

export function createConnectionPool({ url, max, statementMs, name, onWarning }: PoolOptions): ConnectionPool {
  const pool = new pg.Pool({
    connectionString: url,
    max,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    query_timeout: statementMs + NO_RESPONSE_MS,
    statement_timeout: statementMs,
    idle_in_transaction_session_timeout: 10_000,
    application_name: name,
  })
  // The pool replaces a broken idle connection; without a listener the error would end the process.
  pool.on('error', (error) => onWarning(`a database connection was lost: ${error.message}`))
  // A connection in use that breaks fails at its next statement; without a listener the error would end the process too.
  const clients = new Set<pg.PoolClient>()
  pool.on('connect', (client) => {
    client.on('error', () => {})
    clients.add(client)
  })
  pool.on('remove', (client) => clients.delete(client))
  return {
    db: new Kysely<Database>({ dialect: new PostgresDialect({ pool }) }),
    dropIdle: () => {
      for (const client of clients) client.emit('error', new Error('the database is read-only'))
    },
  }
}
