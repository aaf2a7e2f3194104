import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { StartupError } from '../../platform/startup-error.ts'
import { databaseFileIn, takeDataDir } from '../../process/data-dir.ts'
import { isFileProblem } from '../store-problem.ts'

const PRIVATE_FILE_MODE = 0o600
const PRIVATE_DIR_MODE = 0o700
/** Files beside a database that belong to the one that was there before. */
const SIDE_FILES = ['-wal', '-shm', '-journal']

/** Copies database and keys of a data directory into one file, consistent even while its controller runs. */
export async function backupDataDir(dataDir: string, file: string): Promise<void> {
  const databaseFile = databaseFileIn(dataDir)
  if (!existsSync(databaseFile))
    throw new StartupError(`there is no database in ${dataDir}`, 'name the directory with --data-dir')
  const source = new DatabaseSync(databaseFile, { readOnly: true })
  try {
    await backup(source, file)
    packKeys(dataDir, file)
  } catch (error) {
    if (!isFileProblem(error)) throw error
    const { message } = error as Error
    throw new StartupError(`cannot copy ${databaseFile} to ${file}: ${message}`, 'is there room on the disk?', {
      cause: error,
    })
  } finally {
    source.close()
  }
}

function packKeys(dataDir: string, file: string): void {
  chmodSync(file, PRIVATE_FILE_MODE)
  const copy = new DatabaseSync(file)
  try {
    copy.exec('pragma journal_mode = delete; create table backup_keys (name text primary key, content blob not null)')
    const insert = copy.prepare('insert into backup_keys (name, content) values (?, ?)')
    const keysDir = join(dataDir, 'keys')
    for (const name of existsSync(keysDir) ? readdirSync(keysDir) : [])
      insert.run(name, readFileSync(join(keysDir, name)))
  } finally {
    copy.close()
  }
}

/**
 * Makes a data directory from a backup, replacing what is there. Every session ends: one that was revoked since the
 * backup must not come back with it.
 */
export async function restoreDataDir(file: string, dataDir: string): Promise<void> {
  checkIsBackup(file)
  const taken = takeDataDir(dataDir)
  const restoring = `${taken.databaseFile}.restoring`
  const restoringKeys = `${taken.keysDir}.restoring`
  try {
    copyFileSync(file, restoring)
    chmodSync(restoring, PRIVATE_FILE_MODE)
    unpackKeys(restoring, restoringKeys)
    for (const suffix of ['', ...SIDE_FILES]) rmSync(taken.databaseFile + suffix, { force: true })
    rmSync(taken.keysDir, { recursive: true, force: true })
    renameSync(restoringKeys, taken.keysDir)
    renameSync(restoring, taken.databaseFile)
  } finally {
    rmSync(restoring, { force: true })
    rmSync(restoringKeys, { recursive: true, force: true })
    taken.release()
  }
}

function checkIsBackup(file: string): void {
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(file, { readOnly: true })
    database.prepare('select count(*) from backup_keys').get()
    const [check] = database.prepare('pragma quick_check').all() as { quick_check: string }[]
    if (check?.quick_check !== 'ok') throw new Error('the file is damaged')
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    throw new StartupError(
      `${file} is no backup that can be restored: ${message}`,
      'name a file that "countersign backup" wrote',
      {
        cause: error,
      },
    )
  } finally {
    database?.close()
  }
}

function unpackKeys(databaseFile: string, keysDir: string): void {
  rmSync(keysDir, { recursive: true, force: true })
  mkdirSync(keysDir, { recursive: true, mode: PRIVATE_DIR_MODE })
  const database = new DatabaseSync(databaseFile)
  try {
    const keys = database.prepare('select name, content from backup_keys').all() as {
      name: string
      content: Uint8Array
    }[]
    for (const { name, content } of keys)
      writeFileSync(join(keysDir, basename(name)), content, { mode: PRIVATE_FILE_MODE })
    database.exec('drop table backup_keys; delete from api_sessions')
  } finally {
    database.close()
  }
}
