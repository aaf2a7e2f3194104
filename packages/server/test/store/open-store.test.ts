import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { StartupError } from '../../src/platform/startup-error.ts'
import { openStore } from '../../src/store/open-store.ts'
import { startThreadWriter } from './test-writer.ts'

const open = (sqliteFile: string) =>
  openStore({
    startWriter: startThreadWriter,
    database: 'sqlite',
    sqliteFile,
    nodeId: 'n',
    now: 1,
    onWarning: () => {},
    onFatal: () => {},
  })

test('only for a damaged file does the hint suggest restoring a backup', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-open-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const hintFor = async (file: string) => {
    const error = await open(file).then(
      () => assert.fail('it opens'),
      (error: unknown) => error,
    )
    assert.ok(error instanceof StartupError)
    return error.hint ?? assert.fail('there is no hint')
  }
  const damaged = join(folder, 'damaged.db')
  writeFileSync(damaged, 'no database '.repeat(1_000))
  assert.match(await hintFor(damaged), /restore a backup/)
  const unusable = join(folder, 'folder.db')
  mkdirSync(unusable)
  assert.match(await hintFor(unusable), /the owner of the file/)
  await (await open(join(folder, 'new.db'))).close()
})
