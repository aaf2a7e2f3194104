import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { SEALED_COLUMNS } from '../../src/store/reads/sealed-value-reads.ts'
import { makeSqliteFile } from './empty-database.ts'
import { writeMigratedFile } from './migrated-file.ts'

const OPERATIONS = new URL('../../../../docs/operations.md', import.meta.url)

test('D56 the steps for a lost sealing key discard every sealed value', async (t) => {
  const [, steps = ''] = /### A lost sealing key.*?```sql\n(.*?)```/s.exec(readFileSync(OPERATIONS, 'utf8')) ?? []
  const file = makeSqliteFile(t)
  await writeMigratedFile(file)
  const database = new DatabaseSync(file)
  t.after(() => database.close())
  database.exec(steps)
  const isCleared = ([table, column]: (typeof SEALED_COLUMNS)[number]): boolean =>
    new RegExp(`^(delete from ${table};|update ${table} set .*\\b${column} = null)`, 'm').test(steps)
  assert.deepEqual(
    SEALED_COLUMNS.filter((column) => !isCleared(column)),
    [],
  )
})
