import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { newId } from '@countersign/core'
import { endSession, endSessionsOf } from '../../src/operations/api-session/end-session.ts'
import { createApiSession } from '../../src/operations/api-session/start-session.ts'
import { createFirstAdmin } from '../../src/operations/start/create-first-admin.ts'
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import type { Store } from '../../src/store/store.ts'
import { TEST_WRITER_ENTRY } from './test-writer.ts'

const meta = { actorId: 'system', now: 1_700_000_000_000 }
const identityId = newId()
const nobody = newId()

async function openStores(t: TestContext, count: number): Promise<[Store, ...Store[]]> {
  const dir = mkdtempSync(join(tmpdir(), 'countersign-counts-'))
  const isShared = count > 1
  const stores: Store[] = []
  for (let number = 0; number < count; number += 1) {
    stores.push(
      await openSqliteStore({ writer: TEST_WRITER_ENTRY, file: join(dir, 'test.db'), now: meta.now, isShared }),
    )
  }
  t.after(async () => {
    for (const store of stores) await store.close()
    rmSync(dir, { recursive: true, force: true })
  })
  const [first, ...others] = stores
  assert.ok(first)
  const admin = { identityId, authenticatorId: newId(), username: 'admin', passwordDigest: 'digest' }
  await first.run(createFirstAdmin, admin, meta)
  return [first, ...others]
}

/** Whether it was started. */
async function start(store: Store, who = identityId, id = newId(), maxPerIdentity = 100): Promise<boolean> {
  const session = { id, tokenDigest: newId(), identityId: who, authenticatorId: 'a', ipAddress: '', configTypes: [] }
  const life = { expiresAt: meta.now + 1e6, endsAt: meta.now + 1e6, maxPerIdentity }
  const written = store.run(createApiSession, { ...session, ...life, envInfo: undefined, sdkInfo: undefined }, meta)
  return written.then(
    () => true,
    () => false,
  )
}

async function counted({ db }: Store): Promise<{ writtenDown: number; there: number }> {
  const [row] = await db.selectFrom('row_counts').select('total').where('table_name', '=', 'api_sessions').execute()
  const sessions = await db.selectFrom('api_sessions').select('id').execute()
  return { writtenDown: row?.total ?? -1, there: sessions.length }
}

test('the number of sessions is right whichever of those that are written together are refused', async (t) => {
  const [store] = await openStores(t, 1)
  const rounds = [
    [identityId, identityId, identityId],
    // One that is refused undoes what was written with it, which is then written one by one.
    [identityId, nobody, identityId, identityId, nobody],
    [nobody],
    [identityId, identityId, nobody, identityId],
  ]
  let started = 0
  for (const round of rounds) {
    const outcomes = await Promise.all(round.map((who) => start(store, who)))
    assert.deepEqual(
      outcomes,
      round.map((who) => who === identityId),
    )
    started += outcomes.filter(Boolean).length
    assert.deepEqual(await counted(store), { writtenDown: started, there: started })
  }
  assert.equal(started, 9)
})

test('the number of sessions falls with those that end, one by one, with the oldest or with all of an identity', async (t) => {
  const [store] = await openStores(t, 1)
  const ids = Array.from({ length: 6 }, () => newId())
  for (const id of ids) await start(store, identityId, id)
  await store.run(endSession, { id: ids[5] ?? '' }, meta)
  assert.deepEqual(await counted(store), { writtenDown: 5, there: 5 })
  await start(store, identityId, newId(), 3)
  assert.deepEqual(await counted(store), { writtenDown: 3, there: 3 })
  const end = store.run(endSessionsOf, { identityId }, meta)
  await Promise.all([end, start(store)])
  assert.deepEqual(await counted(store), { writtenDown: 1, there: 1 })
})

test('the number of sessions is right where several processes write', async (t) => {
  const stores = await openStores(t, 2)
  const outcomes = await Promise.all(
    Array.from({ length: 40 }, (_, number) => start(stores[number % 2] ?? stores[0], number % 5 ? identityId : nobody)),
  )
  assert.equal(outcomes.filter(Boolean).length, 32)
  assert.deepEqual(await counted(stores[0]), { writtenDown: 32, there: 32 })
})
