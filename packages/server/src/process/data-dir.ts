import { chmodSync, closeSync, existsSync, mkdirSync, openSync, readdirSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { StartupError } from '../platform/startup-error.ts'

export interface DataDir {
  readonly path: string
  readonly databaseFile: string
  readonly keysDir: string
  release(): void
}

const PRIVATE_DIR_MODE = 0o700
const PRIVATE_FILE_MODE = 0o600

/** Creates the data directory if needed and locks it for this process, so that two controllers never share one by mistake. */
export function lockDataDir(path: string): DataDir {
  const absolute = resolve(path)
  try {
    createDirectory(absolute)
    // The mode of a non-empty directory is left unchanged: our files in it are private by their own mode.
    if (readdirSync(absolute).length === 0) chmodSync(absolute, PRIVATE_DIR_MODE)
  } catch (error) {
    throw new StartupError(
      `cannot write to the data directory ${absolute}: ${errorText(error)}`,
      'choose another with --data-dir',
      { cause: error },
    )
  }
  const release = lock(absolute)
  return { path: absolute, databaseFile: databaseFileIn(absolute), keysDir: join(absolute, 'keys'), release }
}

export function databaseFileIn(dataDir: string): string {
  return join(dataDir, 'countersign.db')
}

/** Node's recursive mkdir never ends below directories that accept no entries, such as /proc. */
function createDirectory(path: string): void {
  if (existsSync(path)) return
  createDirectory(dirname(path))
  mkdirSync(path, { mode: PRIVATE_DIR_MODE })
}

/** Uses a lock of SQLite, which the operating system releases when the process ends, however it ends. */
function lock(dataDir: string): () => void {
  let database: DatabaseSync | undefined
  try {
    const file = join(dataDir, 'lock')
    // Created with a private mode, so that no other user can open it and hold the lock.
    closeSync(openSync(file, 'a', PRIVATE_FILE_MODE))
    database = new DatabaseSync(file)
    database.exec('pragma busy_timeout = 0; begin exclusive')
    const held = database
    return () => held.close()
  } catch (error) {
    database?.close()
    if (error instanceof Error && error.message.includes('locked')) {
      throw new StartupError(
        `the data directory ${dataDir} is in use by another controller`,
        'stop that controller first, or choose another directory with --data-dir',
        { cause: error },
      )
    }
    throw new StartupError(
      `cannot write to the data directory ${dataDir}: ${errorText(error)}`,
      'check its owner and the free space, or choose another with --data-dir',
      { cause: error },
    )
  }
}

const ERROR_TEXTS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space is left on the disk',
  ENOTDIR: 'part of the path is a file',
  EEXIST: 'a file with that name exists',
  ENOENT: 'no directory can be created there',
}

function errorText(error: unknown): string {
  const { code, message } = error as { code?: string; message?: string }
  return ERROR_TEXTS[code ?? ''] ?? message ?? String(error)
}
