import { DatabaseSync } from 'node:sqlite'

/** Holds the inner pages of every index over millions of rows, so that finding a row reads one page per index. */
const READ_CACHE_KIB = 12_288

/** Opens a database file for statements that do not write. In WAL mode writers never block them. */
export function openReadOnly(file: string): DatabaseSync {
  const raw = new DatabaseSync(file)
  raw.exec(`pragma busy_timeout = 1000; pragma query_only = on; pragma cache_size = -${READ_CACHE_KIB};`)
  return raw
}
