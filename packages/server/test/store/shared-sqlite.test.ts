import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Change } from '../../src/store/change.ts'
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import { createSigner, withDefaults } from '../keyset/key-sets.fixture.ts'
import { startThreadWriter } from './test-writer.ts'

test('stores of several processes on one file see each other’s writes before they respond, and a single one looks for none', async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'countersign-shared-'))
  t.after(() => rmSync(dir, { recursive: true, force: true }))
  const file = join(dir, 'test.db')
  const open = async () => {
    const store = await openSqliteStore({ startWriter: startThreadWriter, file, now: 1, isShared: true })
    t.after(() => store.close())
    const heard: (Change | 'everything')[] = []
    store.onChange((changes) => heard.push(...(changes === 'everything' ? [changes] : changes)))
    return { store, heard }
  }
  const one = await open()
  const two = await open()
  await withDefaults(one.store)
  two.store.catchUp?.()
  two.heard.length = 0
  const signer = await createSigner(one.store, 'idp')
  two.store.catchUp?.()
  assert.deepEqual(
    two.heard.map((change) => change !== 'everything' && `${change.action} ${change.entity} ${change.id}`),
    [`created externalJwtSigners ${signer.id}`],
  )
  two.store.catchUp?.()
  assert.equal(two.heard.length, 1, 'notified once')

  // Both write concurrently: each waits for the other, and all writes succeed.
  const names = Array.from({ length: 40 }, (_, number) => `at-once-${number}`)
  await Promise.all(names.map((name, number) => createSigner((number % 2 ? one : two).store, name)))
  const rows = await two.store.db.selectFrom('ext_jwt_signers').select('name').execute()
  assert.equal(rows.length, names.length + 1)

  const alone = await openSqliteStore({ startWriter: startThreadWriter, file: join(dir, 'alone.db'), now: 1 })
  t.after(() => alone.close())
  assert.equal(alone.catchUp, undefined)
})
