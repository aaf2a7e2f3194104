import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { newId, readKeySet } from '@countersign/core'
import { mintKey, mintKeySet, mintToken } from '@countersign/testkit'
import { deleteExpiredSessions } from '../../src/operations/api-session/end-session.ts'
import { createApiSession } from '../../src/operations/api-session/start-session.ts'
import { newSessionToken, sessionTokenDigest } from '../../src/session/session-token.ts'
import { buildApp, type TestApp } from './build-app.ts'
import { createIdentity, createPassword, OWN_SESSION } from './identities.fixture.ts'
import { ALICE, AUDIENCE, ISSUER, logInWithToken, SIGNERS } from './provider.fixture.ts'

const SESSIONS = 10_000
const USED = 2_000
const LOGINS = 500
const AT_ONCE = 500

/** Opens sessions of one identity that all expire in the same millisecond. Returns their tokens. */
async function openTogether(app: TestApp, count: number): Promise<string[]> {
  const identityId = await createIdentity(app)
  const { username, password } = await createPassword(app, identityId)
  await app.logIn(username, password)
  const { authenticator_id: authenticatorId } = await app.store.db
    .selectFrom('api_sessions')
    .select('authenticator_id')
    .where('identity_id', '=', identityId)
    .executeTakeFirstOrThrow()
  const now = app.clock.now()
  const expiresAt = now + app.settings.session.idleSeconds * 1000
  const basis = { method: 'password', authenticatorId } as const
  const usual = { identityId, ...basis, ipAddress: '127.0.0.1', configTypes: [], envInfo: undefined }
  const times = { expiresAt, endsAt: expiresAt + 3_600_000, sdkInfo: undefined, maxPerIdentity: count + 10 }
  const tokens = Array.from({ length: count }, () => newSessionToken(now))
  await Promise.all(
    tokens.map((token) => {
      const session = { id: newId(), tokenDigest: sessionTokenDigest(token), ...usual, ...times }
      return app.store.run(createApiSession, session, { actorId: identityId, now })
    }),
  )
  return tokens
}

async function countStatuses<Item>(items: readonly Item[], call: (item: Item) => Promise<{ status: number }>) {
  const counts: Record<number, number> = {}
  for (let at = 0; at < items.length; at += AT_ONCE) {
    for (const { status } of await Promise.all(items.slice(at, at + AT_ONCE).map(call)))
      counts[status] = (counts[status] ?? 0) + 1
  }
  return counts
}

test('S-10 ten thousand sessions that expire together are refused and swept in chunks, and all users log in again with one fetch per node', async (t) => {
  const key = mintKey('P-256')
  let fetches = 0
  const app = await buildApp(t, {
    fetchJwks: async () => {
      fetches++
      return { keySet: readKeySet(Buffer.from(JSON.stringify(mintKeySet(key)))), freshForMs: undefined }
    },
  })
  const tokens = await openTogether(app, SESSIONS)
  const use = (session: string) => app.call('GET', OWN_SESSION, undefined, { session })
  const used = tokens.filter((_, nth) => nth % (SESSIONS / USED) === 0)
  // Half of them, so that only some are cached.
  assert.deepEqual(await countStatuses(used.slice(0, USED / 2), use), { 200: USED / 2 })
  // Later than any unwritten use of them.
  app.clock.advance(app.settings.session.idleSeconds * 1000 + 3_600_000)
  assert.deepEqual(await countStatuses(used, use), { 401: USED })

  const session = await app.logIn('admin', 'the-test-admin-password')
  const admin = (path: string, body: object) => app.call('POST', path, body, { session })
  const jwks = { jwksEndpoint: 'https://idp.example/jwks', useExternalId: true }
  const signer = { name: 'idp', enabled: true, issuer: ISSUER, audience: AUDIENCE, ...jwks }
  assert.equal((await admin(SIGNERS, signer)).status, 201)
  const alice = { name: 'alice', type: 'Default', isAdmin: false, externalId: ALICE }
  assert.equal((await admin('/edge/management/v1/identities', alice)).status, 201)
  const exp = Math.floor(app.clock.now() / 1000) + 600
  const again = Array.from({ length: LOGINS }, (_, n) =>
    mintToken({ key, claims: { iss: ISSUER, aud: AUDIENCE, sub: ALICE, exp, jti: String(n) } }),
  )
  let chunks = 0
  const sweep = async () => {
    while (await app.store.run(deleteExpiredSessions, {}, { actorId: 'system', now: app.clock.now() })) chunks++
  }
  const [loggedIn] = await Promise.all([countStatuses(again, (token) => logInWithToken(app, token)), sweep()])
  assert.deepEqual(loggedIn, { 200: LOGINS })
  assert.ok(fetches <= app.stores.length, `${fetches} fetches: one for each node at most`)
  assert.ok(chunks > 5, `${chunks} chunks: one would block all other writes`)
  const countLeft = async () => {
    const sessions = app.store.db.selectFrom('api_sessions').where('expires_at', '<=', app.clock.now())
    const { count } = await sessions.select(({ fn }) => fn.countAll<number>().as('count')).executeTakeFirstOrThrow()
    return Number(count)
  }
  // The controller sweeps as well, and may not have committed its last chunk.
  for (let tries = 0; tries < 50 && (await countLeft()) > 0; tries += 1) await sleep(100)
  assert.equal(await countLeft(), 0)
})
