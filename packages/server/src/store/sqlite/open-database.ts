import { DatabaseSync } from 'node:sqlite'
import type { Kysely } from 'kysely'
import type { Database } from '../schema.ts'
import { openReadOnly } from './open-read-only.ts'
import { SqliteConnection } from './sqlite-connection.ts'
import { createSqliteKysely } from './sqlite-dialect.ts'

/** How long a writer waits for another process's write lock before it fails. */
export const WRITE_LOCK_WAIT_MS = 10_000

export interface SqliteHandle {
  readonly raw: DatabaseSync
  readonly db: Kysely<Database>
  readonly connection: SqliteConnection
}

/** More than the default of 1,000: a page that many logins change is then copied from the WAL once for all of them. */
const CHECKPOINT_PAGES = 4_000

/** Opens the only connection that writes. Each commit is on disk before it returns. */
export function openForWriting(file: string): SqliteHandle {
  const raw = new DatabaseSync(file)
  raw.exec(`pragma busy_timeout = ${WRITE_LOCK_WAIT_MS};
    pragma journal_mode = wal;
    pragma synchronous = full;
    pragma wal_autocheckpoint = ${CHECKPOINT_PAGES};
    pragma foreign_keys = on;`)
  return toHandle(raw)
}

/** Opens a read-only connection. */
export function openForReading(file: string): SqliteHandle {
  return toHandle(openReadOnly(file))
}

function toHandle(raw: DatabaseSync): SqliteHandle {
  const connection = new SqliteConnection(raw)
  return { raw, connection, db: createSqliteKysely(connection) }
}
