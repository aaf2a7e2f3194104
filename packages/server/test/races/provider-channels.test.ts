import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { BACKCHANNEL_LOGOUT, newId, revocableToken } from '@countersign/core'
import { createApiSession } from '../../src/operations/api-session/start-session.ts'
import { createIdentity } from '../../src/operations/identity/create-identity.ts'
import { enableIdentity } from '../../src/operations/identity/disable-identity.ts'
import { applyLogout } from '../../src/operations/provider-channel/apply-logout.ts'
import { applySecurityEvents } from '../../src/operations/provider-channel/apply-security-events.ts'
import { pruneRevocations, REVOCATION_LIMITS } from '../../src/operations/provider-channel/prune-revocations.ts'
import { createSigner } from '../../src/operations/signer/create-signer.ts'
import { patchSigner } from '../../src/operations/signer/update-signer.ts'
import { createFirstAdmin } from '../../src/operations/start/create-first-admin.ts'
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts'
import type { Store } from '../../src/store/store.ts'
import { logInWithToken } from '../http/provider.fixture.ts'
import { sendLogout, setUpChannels } from '../http/provider-channels.fixture.ts'
import { newSession } from '../operations/log-in-as.ts'
import { DATABASES, getPostgres, openTestStore, stopPostgres } from '../store/open-test-stores.ts'
import { raceTokenLogin } from './race.fixture.ts'

after(stopPostgres)

const NOW = 1_700_000_000_000
const system = { actorId: 'system', now: NOW }
const SIGNER = 'signer'
const ROUNDS = 15
const LOGINS_AT_ONCE = 6

test('V-06 a logout during a login leaves no session', async (t) => {
  const { app, signerId, token, logoutToken, logIn } = await setUpChannels(t)
  await logIn()
  const attempt = async (operation: string, happen: () => Promise<unknown>, claims = {}) => {
    return (await raceTokenLogin({ app }, token(claims), operation, happen)).status
  }
  assert.equal(await attempt('apiSession.create', async () => {}), 200)
  assert.equal(await attempt('apiSession.create', () => sendLogout(app, signerId, logoutToken())), 401)
  assert.deepEqual(
    await app.store.db.selectFrom('api_sessions').select('id').where('signer_id', '=', signerId).execute(),
    [],
  )
  app.clock.advance(1_000)
  const ofBob = { sub: 'bob' }
  assert.equal(await attempt('enrollment.byJwt', () => sendLogout(app, signerId, logoutToken(ofBob)), ofBob), 401)
  app.clock.advance(1_000)
  assert.equal((await logInWithToken(app, token(ofBob))).status, 200)
})

async function prepare(store: Store): Promise<string> {
  const admin = { identityId: newId(), authenticatorId: newId(), username: 'admin', passwordDigest: 'x' }
  await store.run(createFirstAdmin, admin, system)
  const signer = { name: 'idp', enabled: true, issuer: 'https://idp.example', audience: 'a' }
  const body = { ...signer, jwksEndpoint: 'https://idp.example/keys' }
  await store.run(createSigner, { id: SIGNER, body, certificate: undefined }, system)
  return addLinkedIdentity(store, 'alice')
}

async function addLinkedIdentity(store: Store, name: string): Promise<string> {
  const id = newId()
  const body = { name, type: 'Default' as const, isAdmin: false, linkedSigners: [SIGNER] }
  await store.run(createIdentity, { id, body }, system)
  return id
}

function logInBy(store: Store, identityId: string, sid: string) {
  const claims = { sub: 'alice', sid, iat: NOW / 1000 }
  const token = {
    signerId: SIGNER,
    signerRevision: 1,
    sessionRevision: 1,
    externalId: null,
    expiresAt: NOW + 600_000,
    ruleClaims: null,
    ...{ subject: 'alice', providerSessionId: sid, acr: null, amr: null, authenticatedAt: null },
    ...revocableToken({ claims, identityClaim: identityId }),
  }
  const session = { ...newSession({ identityId, authenticatorId: `extJwtId:${SIGNER}`, now: NOW }), token }
  return store.run(createApiSession, { ...session, method: 'ext-jwt' }, { actorId: identityId, now: NOW })
}

function logOut(store: Store, sid: string, issuedAt = NOW) {
  const source = { signerId: SIGNER, signerRevision: 1, issuedAt, idDigest: newId(), expiresAt: NOW + 60_000 }
  return store.run(applyLogout, { ...source, tokens: { sid } }, system)
}

function revoke(store: Store, name: 'session-revoked' | 'account-disabled', sid: string) {
  const source = { signerId: SIGNER, signerRevision: 1, issuedAt: NOW, idDigest: newId(), expiresAt: NOW + 60_000 }
  const subject = { format: 'opaque', id: sid } as const
  const action = name === 'account-disabled' ? 'disable' : 'end-sessions'
  return store.run(applySecurityEvents, { ...source, events: [{ name, action, subject }] }, system)
}

const countSessions = async (store: Store): Promise<number> =>
  (await store.db.selectFrom('api_sessions').select('id').execute()).length

for (const database of DATABASES) {
  test(`V-06 of logins that run beside a logout none has a session afterwards, on ${database}`, async (t) => {
    const store = await openTestStore(t, database)
    const id = await prepare(store)
    for (let round = 0; round < ROUNDS; round += 1) {
      const sid = `sid ${round}`
      const logins = Array.from({ length: LOGINS_AT_ONCE }, () => logInBy(store, id, sid))
      const [outcomes] = await Promise.all([Promise.all(logins), logOut(store, sid)])
      assert.equal(await countSessions(store), 0, `round ${round}: ${outcomes}`)
      assert.equal(await logInBy(store, id, sid), 'token-revoked')
    }
    assert.equal(await logInBy(store, id, 'another'), 'opened')
  })

  test(`V-12 of logins that run beside a security event none has a session afterwards, on ${database}`, async (t) => {
    const store = await openTestStore(t, database)
    const id = await prepare(store)
    const attempt = (identityId: string, sid: string) =>
      logInBy(store, identityId, sid).catch(({ code }: { code?: unknown }) => code)
    for (let round = 0; round < ROUNDS; round += 1) {
      const sid = `sid ${round}`
      const logins = Array.from({ length: LOGINS_AT_ONCE }, () => attempt(id, sid))
      await Promise.all([...logins, revoke(store, 'session-revoked', sid)])
      assert.equal(await countSessions(store), 0, `round ${round}`)
      assert.equal(await attempt(id, sid), 'token-revoked')
      const other = await addLinkedIdentity(store, `identity ${round}`)
      const others = Array.from({ length: LOGINS_AT_ONCE }, () => attempt(other, 'another'))
      await Promise.all([...others, revoke(store, 'account-disabled', other)])
      assert.equal(await countSessions(store), 0, `round ${round}`)
      await store.run(enableIdentity, { id: other }, system)
      assert.equal(await attempt(other, 'another'), 'token-revoked')
    }
    assert.equal(await attempt(id, 'another'), 'opened')
  })

  test(`V-07 revocations whose tokens have expired, and those beyond the limit, become one for all tokens, on ${database}`, async (t) => {
    const store = await openTestStore(t, database)
    const id = await prepare(store)
    const revocations = () => store.db.selectFrom('token_revocations').selectAll().execute()
    for (let each = 0; each < 5; each += 1) await logOut(store, `sid ${each}`)
    const used = () => store.db.selectFrom('used_event_tokens').selectAll().execute()
    assert.deepEqual([(await revocations()).length, (await used()).length], [5, 5])
    await store.run(pruneRevocations, REVOCATION_LIMITS, system)
    assert.deepEqual([(await revocations()).length, (await used()).length], [5, 5])
    await store.run(pruneRevocations, REVOCATION_LIMITS, { ...system, now: NOW + 60_000 })
    assert.deepEqual([(await revocations()).length, (await used()).length], [5, 0])
    assert.equal(await logInBy(store, id, 'another'), 'opened')
    await store.run(pruneRevocations, { ...REVOCATION_LIMITS, maxPerSigner: 3 }, system)
    const [all, ...others] = await revocations()
    assert.deepEqual([all?.revocation_key, all?.cause, others.length], ['all', BACKCHANNEL_LOGOUT, 0])
    for (const sid of ['sid 0', 'another']) assert.equal(await logInBy(store, id, sid), 'token-revoked')
    await logOut(store, 'later')
    await store.run(patchSigner, { id: SIGNER, body: { maxTokenAgeSeconds: 60 }, certificate: undefined }, system)
    await store.run(pruneRevocations, REVOCATION_LIMITS, { ...system, now: NOW + 59_999 })
    assert.equal((await revocations()).length, 2)
    await store.run(pruneRevocations, REVOCATION_LIMITS, { ...system, now: NOW + 60_000 })
    assert.deepEqual(
      (await revocations()).map(({ revocation_key: key, revoked_at: at }) => [key, at]),
      [['all', NOW]],
      'no token of that age is accepted now; it would be with a longer life',
    )
  })

  test(`V-07 a revocation of all tokens never goes back in time, on ${database}`, async (t) => {
    const store = await openTestStore(t, database)
    const id = await prepare(store)
    const mergeBeyond = (maxPerSigner: number) =>
      store.run(pruneRevocations, { ...REVOCATION_LIMITS, maxPerSigner }, system)
    const revocations = () =>
      store.db.selectFrom('token_revocations').select(['revocation_key', 'revoked_at']).execute()
    for (let each = 0; each < 3; each += 1) await logOut(store, `sid ${each}`)
    await mergeBeyond(1)
    assert.deepEqual(await revocations(), [{ revocation_key: 'all', revoked_at: NOW }])
    await logOut(store, 'of an hour ago', NOW - 3_600_000)
    assert.equal((await revocations()).length, 2)
    await mergeBeyond(1)
    assert.deepEqual(await revocations(), [{ revocation_key: 'all', revoked_at: NOW }])
    assert.equal(await logInBy(store, id, 'sid 0'), 'token-revoked')
    await logOut(store, 'of a minute later', NOW + 60_000)
    await mergeBeyond(1)
    assert.deepEqual(await revocations(), [{ revocation_key: 'all', revoked_at: NOW + 60_000 }])
  })
}

test('V-06 of two nodes on PostgreSQL, one logs in while the other logs out: no session is left', async (t) => {
  const url = await (await getPostgres()).createDatabase()
  const open = () => openPostgresStore({ url, nodeId: newId(), now: NOW, onWarning: () => {} })
  const [here, there] = [await open(), await open()]
  t.after(() => Promise.all([here.close(), there.close()]))
  const id = await prepare(here)
  for (let round = 0; round < ROUNDS; round += 1) {
    const sid = `sid ${round}`
    const logins = Array.from({ length: LOGINS_AT_ONCE }, () => logInBy(here, id, sid))
    await Promise.all([...logins, logOut(there, sid)])
    assert.equal(await countSessions(here), 0, `round ${round}`)
  }
  assert.equal(await logInBy(there, id, 'another'), 'opened')
})
