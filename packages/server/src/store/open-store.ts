import { StartupError } from '../platform/startup-error.ts'
import type { ChangeSharing } from './change-sharing.ts'
import { openSqliteStore } from './sqlite/sqlite-store.ts'
import type { StartWriter } from './sqlite/writer-options.ts'
import type { Store } from './store.ts'
import { isDamagedFile } from './store-error.ts'

interface OpenStoreOptions {
  /** `sqlite` or the URL of a PostgreSQL database. */
  readonly database: string
  readonly sqliteFile: string
  /** Starts the writer of the embedded database. */
  readonly startWriter: StartWriter
  readonly nodeId: string
  readonly now: number
  /** Whether other processes of this node use the same file. */
  readonly isShared?: boolean
  /** Maximum number of connections to PostgreSQL. */
  readonly maxConnections?: number | undefined
  /** On PostgreSQL, for the processes of one node. On SQLite these read the change log of their file. */
  readonly sharing?: ChangeSharing | undefined
  /** How long caches stay valid without a connection to PostgreSQL. */
  readonly staleMs?: number | undefined
  onWarning(message: string): void
  /** Called when the store has failed and only a restart helps. */
  onFatal(error: Error): void
}

/** Opens the configured store. Throws a StartupError with one sentence and a hint. */
export async function openStore(options: OpenStoreOptions): Promise<Store> {
  const { database, sqliteFile, startWriter, now, isShared, onFatal } = options
  try {
    if (database === 'sqlite')
      return await openSqliteStore({ file: sqliteFile, startWriter, now, onFatal, ...(isShared && { isShared }) })
    const { openPostgresStore } = await import('./postgres/postgres-store.ts')
    const { nodeId, maxConnections, sharing, staleMs, onWarning } = options
    return await openPostgresStore({ url: database, nodeId, now, onWarning, maxConnections, sharing, staleMs })
  } catch (error) {
    if (error instanceof StartupError) throw error
    const message = error instanceof Error ? error.message : String(error)
    throw database === 'sqlite'
      ? new StartupError(
          `cannot open the database file ${sqliteFile}: ${message}`,
          isDamagedFile(error)
            ? 'restore a backup with: countersign restore FILE'
            : 'check the owner of the file and of its directory, and the free disk space',
          { cause: error },
        )
      : new StartupError(
          `cannot use the database at ${hostOf(database)}: ${message || 'connection refused'}`,
          'check that PostgreSQL runs there, and the user, password and database name',
          { cause: error },
        )
  }
}

/** The host of the database, without the password in its URL. */
function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'the configured address'
}
