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

/** Live sessions with little room, some open sessions, and a way to see which of them are remembered. */
async function setUp(t: TestContext, count: number) {
  const store = await openTestStore(t, 'sqlite')
  const now = Date.now()
  const meta = { actorId: 'system', now }
  const admin = { identityId: newId(), authenticatorId: newId(), username: 'admin', passwordDigest: 'x' }
  await store.run(createFirstAdmin, admin, meta)
  const tokens = Array.from({ length: count }, () => newSessionToken(now))
  for (const token of tokens) {
    const whose = { identityId: admin.identityId, authenticatorId: admin.authenticatorId, ipAddress: '::1' }
    const life = { expiresAt: now + 60_000, endsAt: now + 60_000, maxPerIdentity: 100, configTypes: [] }
    const session = { id: newId(), tokenDigest: sessionTokenDigest(token), ...whose, ...life }
    await store.run(createApiSession, { ...session, envInfo: undefined, sdkInfo: undefined }, meta)
  }
  let reads = 0
  const live = new LiveSessions({
    store,
    clock: { now: () => now },
    idleMs: 60_000,
    maxRemembered: ROOM,
    extend: async () => {},
    // Asked for once with every session that is read.
    policies: {
      find: (id) => {
        reads += 1
        return findAuthPolicy(store.db, id)
      },
    },
  })
  const isRemembered = async (token: string) => {
    const before = reads
    assert.ok(await live.look(token))
    return reads === before
  }
  return { tokens, live, isRemembered }
}

test('while there is room, a session is remembered from its first use on', async (t) => {
  const { tokens, isRemembered } = await setUp(t, ROOM)
  for (const token of tokens) assert.equal(await isRemembered(token), false)
  for (const token of tokens) assert.equal(await isRemembered(token), true)
})

test('once there is none, a session takes the place of another only when it is used again', async (t) => {
  const { tokens, live, isRemembered } = await setUp(t, ROOM + 20)
  const [first = '', second = '', ...others] = tokens
  for (const token of tokens) assert.equal(await isRemembered(token), false)
  assert.deepEqual([await isRemembered(first), await isRemembered(second)], [true, true])

  const [again = ''] = others
  assert.equal(await isRemembered(again), false)
  assert.equal(await isRemembered(again), true)
  assert.equal(live.size, ROOM)
  assert.deepEqual([await isRemembered(second), await isRemembered(first)], [true, false])
})
