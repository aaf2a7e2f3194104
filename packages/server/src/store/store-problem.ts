import { isConnectionProblem } from './postgres/connection-problem.ts'

/** SQLite's words for a file that cannot be used now: busy, read-only, failing, damaged, on a full disk, or not to be opened. */
const SQLITE_PROBLEMS: ReadonlySet<number> = new Set([5, 6, 8, 10, 11, 13, 14, 26])
const DAMAGED: ReadonlySet<number> = new Set([11, 26])
const PRIMARY_CODE = 0xff

/** Whether an error is the store's own trouble: nothing is wrong with the call, which may be sent again later. */
export function isStoreProblem(error: unknown): boolean {
  return isConnectionProblem(error) || isFileProblem(error)
}

/** The same for the embedded database. */
export function isFileProblem(error: unknown): boolean {
  return SQLITE_PROBLEMS.has(sqliteCode(error))
}

/** Whether the file of the embedded database is no database, or no whole one. Whatever else is wrong, the data are not. */
export function isDamagedFile(error: unknown): boolean {
  return DAMAGED.has(sqliteCode(error))
}

/** The code of an error without what SQLite says beside it; NaN for an error that is not SQLite's. */
function sqliteCode(error: unknown): number {
  const { code, errcode } = (error ?? {}) as { code?: unknown; errcode?: unknown }
  return code === 'ERR_SQLITE_ERROR' && typeof errcode === 'number' ? errcode & PRIMARY_CODE : Number.NaN
}
