import { isConnectionError } from './postgres/connection-error.ts'

/** SQLite result codes of a file that cannot be used: busy, locked, read-only, I/O error, corrupt, full disk, cannot open, not a database. */
const FILE_ERRORS: ReadonlySet<number> = new Set([5, 6, 8, 10, 11, 13, 14, 26])
const DAMAGED: ReadonlySet<number> = new Set([11, 26])
const PRIMARY_CODE = 0xff

/** Whether the store itself failed: the request was fine and can be retried later. */
export function isStoreError(error: unknown): boolean {
  return isConnectionError(error) || isFileError(error)
}

/** Whether the file of the embedded database failed. */
export function isFileError(error: unknown): boolean {
  return FILE_ERRORS.has(sqliteCode(error))
}

/** Whether the file is damaged or not a database. With any other error the data are intact. */
export function isDamagedFile(error: unknown): boolean {
  return DAMAGED.has(sqliteCode(error))
}

/** SQLite's primary result code; NaN for other errors. */
function sqliteCode(error: unknown): number {
  const { code, errcode } = (error ?? {}) as { code?: unknown; errcode?: unknown }
  return code === 'ERR_SQLITE_ERROR' && typeof errcode === 'number' ? errcode & PRIMARY_CODE : Number.NaN
}
