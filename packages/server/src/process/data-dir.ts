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

/** Makes the data directory if need be and takes it for this process, so that two controllers never share one by mistake. */
export function takeDataDir(path: string): DataDir {
  const absolute = resolve(path)
  try {
    makeDirectory(absolute)
    // A directory that holds other things belongs to somebody; what we put into it is private by its own mode.
    if (readdirSync(absolute).length === 0) chmodSync(absolute, PRIVATE_DIR_MODE)
  } catch (error) {
    throw new StartupError(
      `cannot write to the data directory ${absolute}: ${wordsFor(error)}`,
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

/** Node's own recursive form never ends below directories that take no entries, such as /proc. */
function makeDirectory(path: string): void {
  if (existsSync(path)) return
  makeDirectory(dirname(path))
  mkdirSync(path, { mode: PRIVATE_DIR_MODE })
}

/** The lock is SQLite's, which the operating system takes away with the process, however it ends. */
function lock(dataDir: string): () => void {
  let database: DatabaseSync | undefined
  try {
    const file = join(dataDir, 'lock')
    // Made here, so that nobody else can open it and hold the lock.
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
        'stop that one first, or choose another directory with --data-dir',
        { cause: error },
      )
    }
    throw new StartupError(
      `cannot write to the data directory ${dataDir}: ${wordsFor(error)}`,
      'check its owner and the free space, or choose another with --data-dir',
      { cause: error },
    )
  }
}

const WORDS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'no space is left on the disk',
  ENOTDIR: 'a part of the path is a file',
  EEXIST: 'a file of that name exists',
  ENOENT: 'no directory can be made there',
}

function wordsFor(error: unknown): string {
  const { code, message } = error as { code?: string; message?: string }
  return WORDS[code ?? ''] ?? message ?? String(error)
}
