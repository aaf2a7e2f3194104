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
import { isFileError } from '../store/store-error.ts'
import { databaseFileIn, lockDataDir } from './data-dir.ts'

const PRIVATE_FILE_MODE = 0o600
const PRIVATE_DIR_MODE = 0o700
/** Files beside the database that belong to the replaced one. */
const SIDE_FILES = ['-wal', '-shm', '-journal']

/** Copies database and keys of a data directory into one file. The copy is consistent even while the controller runs. */
export async function backupDataDir(dataDir: string, file: string): Promise<void> {
  const databaseFile = databaseFileIn(dataDir)
  if (!existsSync(databaseFile))
    throw new StartupError(`there is no database in ${dataDir}`, 'name the directory with --data-dir')
  try {
    await writeBackupFile(databaseFile, file, () => readKeys(join(dataDir, 'keys')))
  } catch (error) {
    if (!isFileError(error)) throw error
    const { message } = error as Error
    throw new StartupError(`cannot copy ${databaseFile} to ${file}: ${message}`, 'check the free disk space', {
      cause: error,
    })
  }
}

function readKeys(keysDir: string): PackedKey[] {
  const names = existsSync(keysDir) ? readdirSync(keysDir) : []
  return names.map((name) => ({ name, content: readFileSync(join(keysDir, name)) }))
}

/** Replaces a data directory by a backup. Deletes all sessions: a session revoked since the backup must not become valid again. */
export async function restoreDataDir(file: string, dataDir: string): Promise<void> {
  checkIsBackup(file)
  const target = lockDataDir(dataDir)
  const restoring = `${target.databaseFile}.restoring`
  const restoringKeys = `${target.keysDir}.restoring`
  try {
    copyFileSync(file, restoring)
    chmodSync(restoring, PRIVATE_FILE_MODE)
    writeKeys(unpackBackupFile(restoring), restoringKeys)
    for (const suffix of ['', ...SIDE_FILES]) rmSync(target.databaseFile + suffix, { force: true })
    rmSync(target.keysDir, { recursive: true, force: true })
    renameSync(restoringKeys, target.keysDir)
    renameSync(restoring, target.databaseFile)
  } finally {
    rmSync(restoring, { force: true })
    rmSync(restoringKeys, { recursive: true, force: true })
    target.release()
  }
}

function checkIsBackup(file: string): void {
  try {
    checkBackupFile(file)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    throw new StartupError(`${file} is not a valid backup: ${message}`, 'use a file that "countersign backup" wrote', {
      cause: error,
    })
  }
}

function writeKeys(keys: readonly PackedKey[], keysDir: string): void {
  rmSync(keysDir, { recursive: true, force: true })
  mkdirSync(keysDir, { recursive: true, mode: PRIVATE_DIR_MODE })
  for (const { name, content } of keys) {
    writeFileSync(join(keysDir, basename(name)), content, { mode: PRIVATE_FILE_MODE })
  }
}
