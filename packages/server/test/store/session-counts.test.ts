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
import { startThreadWriter } from './test-writer.ts'

const meta = { actorId: 'system', now: 1_700_000_000_000 }
const identityId = newId()
const unknownId = newId()

async function openStores(t: TestContext, count: number): Promise<[Store, ...Store[]]> {
  const dir = mkdtempSync(join(tmpdir(), 'countersign-counts-'))
  const isShared = count > 1
  const stores: Store[] = []
  for (let number = 0; number < count; number += 1) {
    stores.push(
      await openSqliteStore({ startWriter: startThreadWriter, file: join(dir, 'test.db'), now: meta.now, isShared }),
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

/** Starts a session. Returns whether it was accepted. */
async function start(store: Store, identity = identityId, id = newId(), maxPerIdentity = 100): Promise<boolean> {
  const session = {
    id,
    tokenDigest: newId(),
    identityId: identity,
    method: 'password' as const,
    authenticatorId: 'a',
    ipAddress: '',
    configTypes: [],
  }
  const life = { expiresAt: meta.now + 1e6, endsAt: meta.now + 1e6, maxPerIdentity }
  const written = store.run(createApiSession, { ...session, ...life, envInfo: undefined, sdkInfo: undefined }, meta)
  return written.then(
    () => true,
    () => false,
  )
}

async function counted({ db }: Store): Promise<{ stored: number; actual: number }> {
  const [row] = await db.selectFrom('row_counts').select('total').where('table_name', '=', 'api_sessions').execute()
  const sessions = await db.selectFrom('api_sessions').select('id').execute()
  return { stored: row?.total ?? -1, actual: sessions.length }
}

test('the count of sessions is right whichever of a group of writes are refused', async (t) => {
  const [store] = await openStores(t, 1)
  const rounds = [
    [identityId, identityId, identityId],
    // A refused write rolls back its group, whose writes are then repeated one by one.
    [identityId, unknownId, identityId, identityId, unknownId],
    [unknownId],
    [identityId, identityId, unknownId, identityId],
  ]
  let started = 0
  for (const round of rounds) {
    const results = await Promise.all(round.map((identity) => start(store, identity)))
    assert.deepEqual(
      results,
      round.map((identity) => identity === identityId),
    )
    started += results.filter(Boolean).length
    assert.deepEqual(await counted(store), { stored: started, actual: started })
  }
  assert.equal(started, 9)
})

test('the count of sessions falls when they end, one by one, with the least used or with all of an identity', async (t) => {
  const [store] = await openStores(t, 1)
  const ids = Array.from({ length: 6 }, () => newId())
  for (const id of ids) await start(store, identityId, id)
  await store.run(endSession, { id: ids[5] ?? '' }, meta)
  assert.deepEqual(await counted(store), { stored: 5, actual: 5 })
  await start(store, identityId, newId(), 3)
  assert.deepEqual(await counted(store), { stored: 3, actual: 3 })
  const end = store.run(endSessionsOf, { identityId }, meta)
  await Promise.all([end, start(store)])
  assert.deepEqual(await counted(store), { stored: 1, actual: 1 })
})

test('the count of sessions is right with several writing processes', async (t) => {
  const stores = await openStores(t, 2)
  const results = await Promise.all(
    Array.from({ length: 40 }, (_, number) =>
      start(stores[number % 2] ?? stores[0], number % 5 ? identityId : unknownId),
    ),
  )
  assert.equal(results.filter(Boolean).length, 32)
  assert.deepEqual(await counted(stores[0]), { stored: 32, actual: 32 })
})
