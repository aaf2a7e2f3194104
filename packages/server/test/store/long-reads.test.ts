import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { CompiledQuery } from 'kysely'
import { SqliteReaders } from '../../src/store/sqlite/sqlite-readers.ts'
import { createFakeTime, until } from '../keyset/fake-time.ts'
import { ENDLESS } from './endless-query.ts'
import { DATABASES, openTestStore, stopPostgres } from './open-test-stores.ts'

after(stopPostgres)

const SHORT = CompiledQuery.raw('select 1 as one')

for (const database of DATABASES) {
  test(`M-16 a read that takes too long is ended, and the next one succeeds, on ${database}`, async (t) => {
    const store = await openTestStore(t, database, { longReadMs: 200 })
    const endless = CompiledQuery.raw(ENDLESS[database])
    await assert.rejects(store.readLong('a', endless), { code: 'TIMEOUT' })
    assert.deepEqual(await store.readLong('a', SHORT), [{ one: 1 }])
  })

  test(`M-16 long reads of one caller delay neither writes nor the reads of another, on ${database}`, async (t) => {
    const store = await openTestStore(t, database, { longReadMs: 1_000 })
    const endless = CompiledQuery.raw(ENDLESS[database])
    // Starts the threads or connections, which takes longer than the reads.
    await Promise.all([store.readLong('a', SHORT), store.readLong('b', SHORT)])
    const ended: string[] = []
    const note = (name: string) => () => void ended.push(name)
    const flood = Array.from({ length: 20 }, () => store.readLong('a', endless).catch(note('a')))
    const own = store.readLong('a', SHORT).then(note('behind its own'))
    await store.readLong('b', SHORT).then(note('b'))
    await store.db.selectFrom('identities').select('id').execute().then(note('short read'))
    assert.deepEqual(ended, ['b', 'short read'])
    await flood[0]
    assert.deepEqual(ended, ['b', 'short read', 'a'])
    own.catch(() => {})
    Promise.all(flood).catch(() => {})
  })
}

test('a reader thread reports the error of a query, and runs the next one', async (t) => {
  const store = await openTestStore(t, 'sqlite')
  await assert.rejects(store.readLong('a', CompiledQuery.raw('select x from nowhere')), /no such table/)
  await assert.rejects(store.readLong('a', CompiledQuery.raw('delete from identities')), /readonly/)
  assert.deepEqual(await store.readLong('a', SHORT), [{ one: 1 }])
})

test('M-16 a caller with many long reads waiting is refused further ones, and another caller is not', async (t) => {
  const store = await openTestStore(t, 'sqlite', { longReadMs: 1_000 })
  const endless = CompiledQuery.raw(ENDLESS.sqlite)
  const flood = Array.from({ length: 101 }, () => store.readLong('a', endless))
  for (const read of flood) read.catch(() => {})
  await assert.rejects(store.readLong('a', SHORT), { code: 'SERVER_TOO_MANY_REQUESTS' })
  assert.deepEqual(await store.readLong('b', SHORT), [{ one: 1 }])
})

test('reader threads end when there is nothing to read, and start again', async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'countersign-readers-'))
  t.after(() => rmSync(dir, { recursive: true, force: true }))
  const file = join(dir, 'test.db')
  new DatabaseSync(file).close()
  const { scheduler, advance } = createFakeTime()
  const readers = new SqliteReaders({ file, deadlineMs: 5_000 }, scheduler)
  t.after(() => readers.close())
  const read = (caller: string) => readers.read(caller, SHORT)

  await Promise.all([read('a'), read('b')])
  await advance(1_500)
  await read('a')
  await advance(1_500)
  assert.equal(readers.size, 2)
  await advance(500)
  await until(() => readers.size === 0)
  assert.deepEqual(await read('a'), [{ one: 1 }])
  assert.equal(readers.size, 1)
})
