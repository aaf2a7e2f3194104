import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { newId } from '@countersign/core'
import { createApiSession } from '../../src/operations/api-session/start-session.ts'
import { createFirstAdmin } from '../../src/operations/start/create-first-admin.ts'
import { LiveSessions } from '../../src/session/live-sessions.ts'
import { newSessionToken, sessionTokenDigest } from '../../src/session/session-token.ts'
import { findAuthPolicy } from '../../src/store/reads/auth-policy-reads.ts'
import { openTestStore } from '../store/open-test-stores.ts'

const ROOM = 2

/** Live sessions with a small cache, some open sessions, and a check whether a session is cached. */
async function setUp(t: TestContext, count: number) {
  const store = await openTestStore(t, 'sqlite')
  const now = Date.now()
  const meta = { actorId: 'system', now }
  const admin = { identityId: newId(), authenticatorId: newId(), username: 'admin', passwordDigest: 'x' }
  await store.run(createFirstAdmin, admin, meta)
  const tokens = Array.from({ length: count }, () => newSessionToken(now))
  for (const token of tokens) {
    const { identityId, authenticatorId } = admin
    const owner = { identityId, method: 'password', authenticatorId, ipAddress: '::1' } as const
    const life = { expiresAt: now + 60_000, endsAt: now + 60_000, maxPerIdentity: 100, configTypes: [] }
    const session = { id: newId(), tokenDigest: sessionTokenDigest(token), ...owner, ...life }
    await store.run(createApiSession, { ...session, envInfo: undefined, sdkInfo: undefined }, meta)
  }
  let reads = 0
  const live = new LiveSessions({
    store,
    clock: { now: () => now },
    idleMs: 60_000,
    maxCached: ROOM,
    extend: async () => {},
    // Called once for every session that is read.
    policies: {
      find: (id) => {
        reads += 1
        return findAuthPolicy(store.db, id)
      },
    },
  })
  const isCached = async (token: string) => {
    const before = reads
    assert.ok(await live.peek(token))
    return reads === before
  }
  return { tokens, live, isCached }
}

test('a session is cached from its first use while there is room', async (t) => {
  const { tokens, isCached } = await setUp(t, ROOM)
  for (const token of tokens) assert.equal(await isCached(token), false)
  for (const token of tokens) assert.equal(await isCached(token), true)
})

test('in a full cache, a session replaces another only on its second use', async (t) => {
  const { tokens, live, isCached } = await setUp(t, ROOM + 20)
  const [first = '', second = '', ...others] = tokens
  for (const token of tokens) assert.equal(await isCached(token), false)
  assert.deepEqual([await isCached(first), await isCached(second)], [true, true])

  const [again = ''] = others
  assert.equal(await isCached(again), false)
  assert.equal(await isCached(again), true)
  assert.equal(live.size, ROOM)
  assert.deepEqual([await isCached(second), await isCached(first)], [true, false])
})
