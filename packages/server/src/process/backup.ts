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
import { StartupError } from '../platform/startup-error.ts'
import { checkBackupFile, type PackedKey, unpackBackupFile, writeBackupFile } from '../store/sqlite/backup-file.ts'
import { isFileProblem } from '../store/store-problem.ts'
import { databaseFileIn, takeDataDir } from './data-dir.ts'

const PRIVATE_FILE_MODE = 0o600
const PRIVATE_DIR_MODE = 0o700
/** Files beside a database that belong to the one that was there before. */
const SIDE_FILES = ['-wal', '-shm', '-journal']

/** Copies database and keys of a data directory into one file, consistent even while its controller runs. */
export async function backupDataDir(dataDir: string, file: string): Promise<void> {
  const databaseFile = databaseFileIn(dataDir)
  if (!existsSync(databaseFile))
    throw new StartupError(`there is no database in ${dataDir}`, 'name the directory with --data-dir')
  try {
    await writeBackupFile(databaseFile, file, () => readKeys(join(dataDir, 'keys')))
  } catch (error) {
    if (!isFileProblem(error)) throw error
    const { message } = error as Error
    throw new StartupError(`cannot copy ${databaseFile} to ${file}: ${message}`, 'is there room on the disk?', {
      cause: error,
    })
  }
}

function readKeys(keysDir: string): PackedKey[] {
  const names = existsSync(keysDir) ? readdirSync(keysDir) : []
  return names.map((name) => ({ name, content: readFileSync(join(keysDir, name)) }))
}

/** Makes a data directory from a backup, replacing what is there. Every session ends: one that was revoked since the backup must not come back. */
export async function restoreDataDir(file: string, dataDir: string): Promise<void> {
  checkIsBackup(file)
  const taken = takeDataDir(dataDir)
  const restoring = `${taken.databaseFile}.restoring`
  const restoringKeys = `${taken.keysDir}.restoring`
  try {
    copyFileSync(file, restoring)
    chmodSync(restoring, PRIVATE_FILE_MODE)
    writeKeys(unpackBackupFile(restoring), restoringKeys)
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
  try {
    checkBackupFile(file)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    throw new StartupError(
      `${file} is no backup that can be restored: ${message}`,
      'name a file that "countersign backup" wrote',
      { cause: error },
    )
  }
}

function writeKeys(keys: readonly PackedKey[], keysDir: string): void {
  rmSync(keysDir, { recursive: true, force: true })
  mkdirSync(keysDir, { recursive: true, mode: PRIVATE_DIR_MODE })
  for (const { name, content } of keys) {
    writeFileSync(join(keysDir, basename(name)), content, { mode: PRIVATE_FILE_MODE })
  }
}
