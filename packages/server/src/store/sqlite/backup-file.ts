import { chmodSync } from 'node:fs'
import { backup, DatabaseSync } from 'node:sqlite'

const PRIVATE_FILE_MODE = 0o600

/** A key file inside a backup. */
export interface PackedKey {
  readonly name: string
  readonly content: Uint8Array
}

/** Copies a database, consistent even while its controller runs, and puts the key files into the copy. Only its owner may read it. */
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

/** Throws what is wrong with a file that cannot be restored. */
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

/** Takes the key files out of a backup, which is the database alone afterwards, without sessions: one may have been revoked since. */
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
