import { StartupError } from '../platform/startup-error.ts'
import { openSqliteStore } from './sqlite/sqlite-store.ts'
import type { Store } from './store.ts'
import { isDamagedFile } from './store-problem.ts'

interface OpenStoreOptions {
  /** `sqlite` or the URL of a PostgreSQL database. */
  readonly database: string
  readonly sqliteFile: string
  /** The entry file of the embedded database's writer thread, which knows the operations. */
  readonly writer: URL
  readonly nodeId: string
  readonly now: number
  /** Other processes of this node use it at the same time. */
  readonly isShared?: boolean
  /** Connections to PostgreSQL at most. */
  readonly maxConnections?: number | undefined
  /** What is remembered of PostgreSQL is believed for so long without it. */
  readonly staleMs?: number | undefined
  onProblem(message: string): void
  /** The store has broken in a way that only a restart mends. */
  onFatal(error: Error): void
}

/** Opens the store that the settings name; what stops it from opening is told in one sentence. */
export async function openStore(options: OpenStoreOptions): Promise<Store> {
  const { database, sqliteFile, writer, nodeId, now, isShared, maxConnections, staleMs, onProblem, onFatal } = options
  try {
    if (database === 'sqlite')
      return await openSqliteStore({ file: sqliteFile, writer, now, onFatal, ...(isShared && { isShared }) })
    const { openPostgresStore } = await import('./postgres/postgres-store.ts')
    return await openPostgresStore({ url: database, nodeId, now, onProblem, maxConnections, staleMs })
  } catch (error) {
    if (error instanceof StartupError) throw error
    const message = error instanceof Error ? error.message : String(error)
    throw database === 'sqlite'
      ? new StartupError(
          `cannot open the database file ${sqliteFile}: ${message}`,
          isDamagedFile(error)
            ? 'restore a backup with: countersign restore FILE'
            : 'check who owns it and its folder, and the free space',
          { cause: error },
        )
      : new StartupError(
          `cannot use the database at ${hostOf(database)}: ${message || 'connection refused'}`,
          'check that PostgreSQL runs there and that user, password and database name are right',
          { cause: error },
        )
  }
}

/** Where the database is, without the password that the URL may hold. */
function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'the given address'
}
