import { isConnectionProblem } from './postgres/connection-problem.ts'

/** SQLite's words for a file that cannot be used now: busy, read-only, failing, damaged, on a full disk, or not to be opened. */
const SQLITE_PROBLEMS: ReadonlySet<number> = new Set([5, 6, 8, 10, 11, 13, 14, 26])
const PRIMARY_CODE = 0xff

/** Whether an error is the store's own trouble: nothing is wrong with the call, which may be sent again later. */
export function isStoreProblem(error: unknown): boolean {
  return isConnectionProblem(error) || isFileProblem(error)
}

/** The same for the embedded database. */
export function isFileProblem(error: unknown): boolean {
  const { code, errcode } = (error ?? {}) as { code?: unknown; errcode?: unknown }
  return code === 'ERR_SQLITE_ERROR' && typeof errcode === 'number' && SQLITE_PROBLEMS.has(errcode & PRIMARY_CODE)
}
