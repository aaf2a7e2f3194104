import { DatabaseSync } from 'node:sqlite'
import type { Kysely } from 'kysely'
import type { Database } from '../schema.ts'
import { createSqliteKysely } from './sqlite-dialect.ts'

/** How long a writer waits for somebody else's write lock before it gives up. */
export const WRITE_LOCK_WAIT_MS = 10_000

export interface SqliteHandle {
  readonly raw: DatabaseSync
  readonly db: Kysely<Database>
}

/** A page that many log-ins touch is copied into the file once for all of them: more pages than usual may gather before that. */
const CHECKPOINT_PAGES = 4_000

/** The one connection that writes: each commit is on the disk before it is acknowledged. */
export function openForWriting(file: string): SqliteHandle {
  const raw = new DatabaseSync(file)
  raw.exec(`pragma busy_timeout = ${WRITE_LOCK_WAIT_MS};
    pragma journal_mode = wal;
    pragma synchronous = full;
    pragma wal_autocheckpoint = ${CHECKPOINT_PAGES};
    pragma foreign_keys = on;`)
  return { raw, db: createSqliteKysely(raw) }
}

/** Enough for the inner pages of every index among millions of rows, so that finding one row fetches one page of each. */
const READ_CACHE_KIB = 12_288

/** A connection that can only read; in WAL mode no writer ever makes it wait. */
export function openForReading(file: string): SqliteHandle {
  const raw = new DatabaseSync(file)
  raw.exec(`pragma busy_timeout = 1000; pragma query_only = on; pragma cache_size = -${READ_CACHE_KIB};`)
  return { raw, db: createSqliteKysely(raw) }
}
