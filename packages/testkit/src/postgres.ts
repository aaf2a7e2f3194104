import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { startCluster } from './postgres-cluster.ts'

/** A PostgreSQL server for tests. */
export type PostgresServer = {
  /** Connection string of the maintenance database. The user may create databases. */
  url: string
  /** The server's origin: `TEST_DATABASE_URL`, a folder of programs, or a package name. */
  origin: string
  /** Creates an empty database, or a copy of `template` (the URL of a database without connections). Returns its URL. */
  createDatabase(template?: string): Promise<string>
  /** Runs statements in order on one connection of the maintenance database. */
  run(...statements: readonly string[]): Promise<void>
  /** Drops the databases created here; an own cluster is stopped and its files are removed. */
  stop(): Promise<void>
  /** Stops the server like a crash, without a checkpoint. Own cluster only. */
  kill(): Promise<void>
  /** Starts the server again on the same port and data, after `kill` or while it runs. Own cluster only. */
  restart(): Promise<void>
}

export type PostgresOptions = {
  /** Keep fsync on. Implies `own`. */
  durable?: boolean
  /** Start a separate cluster even if `TEST_DATABASE_URL` names a shared one: for `kill` and `restart`. */
  own?: boolean
  /** Use the npm package even if PostgreSQL is installed. Implies `own`. */
  packaged?: boolean
}

/**
 * Returns a real PostgreSQL: the one of `TEST_DATABASE_URL`, else a temporary cluster on a free port of 127.0.0.1.
 * Throws an error that says what to install. A cluster ends and removes its files when the process that started it dies.
 */
export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer> {
  const { durable = false, own = false, packaged = false } = options
  const shared = process.env.TEST_DATABASE_URL
  if (shared && !own && !durable && !packaged) return useShared(shared)
  const cluster = await startCluster({ durable, packaged })
  const { createDatabase } = createDatabases(cluster.url)
  return { ...cluster, createDatabase, run: (...statements) => query(cluster.url, ...statements) }
}

async function useShared(url: string): Promise<PostgresServer> {
  const { createDatabase, dropAll } = createDatabases(url)
  const refuse = () =>
    Promise.reject(new TypeError('a shared server cannot be stopped here: start one with { own: true }'))
  await query(url, 'SELECT 1')
  const run = (...statements: readonly string[]) => query(url, ...statements)
  return { url, origin: 'TEST_DATABASE_URL', createDatabase, run, stop: dropAll, kill: refuse, restart: refuse }
}

function createDatabases(url: string) {
  const made: string[] = []
  return {
    async createDatabase(template?: string): Promise<string> {
      const name = `countersign_${randomBytes(8).toString('hex')}`
      const source = template ? new URL(template).pathname.slice(1) : 'template0'
      await query(url, `CREATE DATABASE ${pg.escapeIdentifier(name)} TEMPLATE ${pg.escapeIdentifier(source)}`)
      made.push(name)
      const database = new URL(url)
      database.pathname = `/${name}`
      return database.href
    },
    async dropAll(): Promise<void> {
      for (const name of made.splice(0)) {
        await query(url, `DROP DATABASE IF EXISTS ${pg.escapeIdentifier(name)} WITH (FORCE)`)
      }
    },
  }
}

async function query(url: string, ...statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 })
  await client.connect()
  try {
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}
