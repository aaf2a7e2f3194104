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

/** What opens the API for anyone who holds it, and may have been revoked since the backup. A backup of an earlier release does not have all of them. */
const REVOCABLE = ['api_sessions', 'api_account_tokens']

/** Removes the key files from a backup and returns them. Also deletes all sessions and access tokens, because some may have been revoked since. */
export function unpackBackupFile(file: string): PackedKey[] {
  const database = new DatabaseSync(file)
  try {
    const keys = database.prepare('select name, content from backup_keys').all() as unknown as PackedKey[]
    database.exec('drop table backup_keys')
    const isTable = database.prepare("select 1 from sqlite_master where type = 'table' and name = ?")
    for (const table of REVOCABLE) if (isTable.get(table)) database.exec(`delete from ${table}`)
    return keys
  } finally {
    database.close()
  }
}
