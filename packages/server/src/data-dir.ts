import { chmodSync, mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { StartupError } from './startup-error.ts'

export interface DataDir {
  readonly path: string
  readonly databaseFile: string
  readonly keysDir: string
  release(): void
}

const PRIVATE_DIR_MODE = 0o700

/** Makes the data directory if need be and takes it for this process, so that two controllers never share one by mistake. */
export function takeDataDir(path: string): DataDir {
  const absolute = resolve(path)
  try {
    mkdirSync(absolute, { recursive: true, mode: PRIVATE_DIR_MODE })
    chmodSync(absolute, PRIVATE_DIR_MODE)
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

/** The lock is SQLite's, which the operating system takes away with the process, however it ends. */
function lock(dataDir: string): () => void {
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(join(dataDir, 'lock'))
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
}

function wordsFor(error: unknown): string {
  const { code, message } = error as { code?: string; message?: string }
  return WORDS[code ?? ''] ?? message ?? String(error)
}
