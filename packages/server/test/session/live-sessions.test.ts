import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { AuthPolicyPatch } from '@countersign/contract'
import { DEFAULT_AUTH_POLICY_ID, newId } from '@countersign/core'
import fc from 'fast-check'
import { createApiSession } from '../../src/operations/api-session/start-session.ts'
import { patchAuthPolicy } from '../../src/operations/auth-policy/update-auth-policy.ts'
import { patchIdentity } from '../../src/operations/identity/update-identity.ts'
import { createFirstAdmin } from '../../src/operations/start/create-first-admin.ts'
import { type LiveSession, LiveSessions, SESSION_DEPENDENCIES } from '../../src/session/live-sessions.ts'
import { newSessionToken, sessionTokenDigest } from '../../src/session/session-token.ts'
import type { Change, ChangedEntity } from '../../src/store/change.ts'
import { DependentCache } from '../../src/store/dependent-cache.ts'
import { findAuthPolicy } from '../../src/store/reads/auth-policy-reads.ts'
import { openTestStore } from '../store/open-test-stores.ts'

const ROOM = 2

/** Live sessions with a small cache, some open sessions, and a check whether a session is cached. */
async function setUp(t: TestContext, count: number, tags: Readonly<Record<string, string>> = {}) {
  const store = await openTestStore(t, 'sqlite')
  const now = Date.now()
  const meta = { actorId: 'system', now }
  const admin = { identityId: newId(), authenticatorId: newId(), username: 'admin', passwordDigest: 'x' }
  await store.run(createFirstAdmin, admin, meta)
  await store.run(patchIdentity, { id: admin.identityId, body: { tags } }, meta)
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
    expire: async () => {},
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
  return { store, meta, tokens, live, isCached }
}

for (const [length, cached] of [
  [2_000, 2],
  [2_040, 1],
] as const) {
  test(`R-23 ${cached} of two sessions are cached where their identity has tags of ${2 * length} characters`, async (t) => {
    const tags = { a: 'x'.repeat(length), b: 'x'.repeat(length) }
    const { tokens, live } = await setUp(t, 2, tags)
    for (const token of tokens) assert.ok(await live.peek(token))
    assert.equal(live.size, cached)
  })
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

test('R-21 a session stays cached when the name or tags of its policy change, and is read again when its rules do', async (t) => {
  const { store, meta, tokens, isCached } = await setUp(t, 1)
  const [token = ''] = tokens
  const patch = (body: AuthPolicyPatch) => store.run(patchAuthPolicy, { id: DEFAULT_AUTH_POLICY_ID, body }, meta)
  assert.equal(await isCached(token), false)
  for (const body of [{ tags: { a: 'b' } }, { name: 'renamed' }]) {
    await patch(body)
    assert.equal(await isCached(token), true, JSON.stringify(body))
  }
  await patch({ session: { idleMinutes: 5 } })
  assert.equal(await isCached(token), false)
  assert.equal(await isCached(token), true)
})

/** How every change was once compared with every session. */
function isConcerned({ id, authenticatorId, policy, identity, login }: LiveSession, change: Change): boolean {
  const { suppliedAttributes } = identity
  const ofSigner = login.method === 'ext-jwt' ? login.signerId : undefined
  const ids: Partial<Record<ChangedEntity, readonly (string | undefined)[]>> = {
    apiSessions: [id],
    authenticators: [authenticatorId],
    authPolicies: [policy.id],
    externalJwtSigners: [ofSigner, ...suppliedAttributes.map(({ signerId }) => signerId)],
    identities: [identity.id],
    apiAccounts: [login.method === 'api-account' ? login.accountId : undefined],
    organizations: [login.method === 'api-account' ? change.id : undefined],
    cas: [login.method === 'cert' ? login.caId : undefined],
  }
  return change.action !== 'created' && change.action !== 'relabelled' && !!ids[change.entity]?.includes(change.id)
}

const anyId = fc.constantFrom('a', 'b', 'c')
const anySession = fc.record({
  id: anyId,
  authenticatorId: anyId,
  policy: fc.record({ id: anyId }),
  identity: fc.record({ id: anyId, suppliedAttributes: fc.array(fc.record({ signerId: anyId }), { maxLength: 3 }) }),
  login: fc.oneof(
    fc.record({ method: fc.constant('ext-jwt'), signerId: anyId }),
    fc.record({ method: fc.constant('api-account'), accountId: anyId }),
    fc.record({ method: fc.constant('cert'), caId: fc.option(anyId, { nil: undefined }) }),
    fc.record({ method: fc.constant('password') }),
  ),
}) as unknown as fc.Arbitrary<LiveSession>
const anyChange: fc.Arbitrary<Change> = fc.record({
  entity: fc.constantFrom(...(Object.keys(SESSION_DEPENDENCIES) as ChangedEntity[])),
  id: anyId,
  action: fc.constantFrom('created', 'updated', 'relabelled', 'deleted'),
})

test('R-21 I-04 a change drops exactly the sessions that it concerns', async () => {
  const property = fc.asyncProperty(
    fc.array(anySession),
    fc.array(anyChange, { maxLength: 3 }),
    async (all, changes) => {
      const cache = new DependentCache(100, SESSION_DEPENDENCIES)
      for (const [key, session] of all.entries()) {
        await cache.load(
          `${key}`,
          async () => session,
          (loaded) => loaded,
        )
      }
      cache.follow(changes)
      for (const [key, session] of all.entries()) {
        const isDropped = changes.some((change) => isConcerned(session, change))
        assert.equal(cache.get(`${key}`), isDropped ? undefined : session)
      }
    },
  )
  await fc.assert(property, { numRuns: 500 })
})
