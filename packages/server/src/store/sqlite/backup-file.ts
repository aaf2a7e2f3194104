import { chmodSync } from 'node:fs'
import { backup, DatabaseSync } from 'node:sqlite'

const PRIVATE_FILE_MODE = 0o600

/** A key file inside a backup. */
export interface PackedKey {
  readonly name: string
  readonly content: Uint8Array
}

/** Copies a database, consistently even while its controller runs, and adds the key files to the copy. The file is readable by its owner only. */
export async function writeBackupFile(
  databaseFile: string,
  file: string,
  keys: () => readonly PackedKey[],
): Promise<void> {
  const source = new DatabaseSync(databaseFile, { readOnly: true })
  try {
    await backup(source, file)
  } finally {
    source.close()
  }
  chmodSync(file, PRIVATE_FILE_MODE)
  const copy = new DatabaseSync(file)
  try {
    copy.exec('pragma journal_mode = delete; create table backup_keys (name text primary key, content blob not null)')
    const insert = copy.prepare('insert into backup_keys (name, content) values (?, ?)')
    for (const { name, content } of keys()) insert.run(name, content)
  } finally {
    copy.close()
  }
}

/** Throws when the file cannot be restored. */
export function checkBackupFile(file: string): void {
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(file, { readOnly: true })
    database.prepare('select count(*) from backup_keys').get()
    const [check] = database.prepare('pragma quick_check').all() as { quick_check: string }[]
    if (check?.quick_check !== 'ok') throw new Error('the file is damaged')
  } finally {
    database?.close()
  }
}

/** Removes the key files from a backup and returns them. Also deletes all sessions, because some may have been revoked since. */
export function unpackBackupFile(file: string): PackedKey[] {
  const database = new DatabaseSync(file)
  try {
    const keys = database.prepare('select name, content from backup_keys').all() as unknown as PackedKey[]
    database.exec('drop table backup_keys; delete from api_sessions')
    return keys
  } finally {
    database.close()
  }
}
