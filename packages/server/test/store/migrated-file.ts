import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrate } from '../../src/store/migrations/migrate.ts'
import { SQLITE_TYPES } from '../../src/store/migrations/migration.ts'
import { openForWriting } from '../../src/store/sqlite/open-database.ts'

let migrated: Promise<Buffer> | undefined

/** Writes an empty database with the current schema. The schema is created once in a test process, and copied after that. */
export async function writeMigratedFile(file: string): Promise<void> {
  migrated ??= migrateOnce()
  writeFileSync(file, await migrated)
}

async function migrateOnce(): Promise<Buffer> {
  const dir = mkdtempSync(join(tmpdir(), 'countersign-schema-'))
  const file = join(dir, 'test.db')
  const { raw, db } = openForWriting(file)
  try {
    await migrate(db, SQLITE_TYPES, Date.now())
  } finally {
    raw.close()
  }
  const content = readFileSync(file)
  rmSync(dir, { recursive: true })
  return content
}
