import assert from 'node:assert/strict'
import { test } from 'node:test'
import { thumbprintOf } from '@countersign/core'
import { type MintKey, makeTestCertificate, mintKey } from '@countersign/testkit'
import { storeKeySet } from '../../src/operations/signer/store-key-set.ts'
import { keyEndpoint } from '../../src/store/key-signer.ts'
import { summarize } from './ext-jwt-signers.fixture.ts'
import { OWN_IDENTITY } from './identities.fixture.ts'
import { logInWithToken, SIGNERS, setUpProvider } from './provider.fixture.ts'

const [OLD, NEXT, OTHER] = ['old', 'next', 'other'].map((name) => mintKey('P-256', name)) as [MintKey, MintKey, MintKey]
const pin = (...keys: readonly MintKey[]) => ({
  pinnedKeyThumbprints: keys.map(({ publicKey }) => thumbprintOf(publicKey)),
})

async function setUp(...args: Parameters<typeof setUpProvider>) {
  const setup = await setUpProvider(...args)
  const { app, provider, token } = setup
  provider.keys = [OLD]
  await setup.createIdentity()
  const statuses = async (key: MintKey) => {
    const replies: number[] = []
    for (const _ of app.stores) replies.push((await logInWithToken(app, token({}, key))).status)
    return [...new Set(replies)]
  }
  const statusOf = async (session: string) => (await app.call('GET', OWN_IDENTITY, undefined, { session })).status
  return {
    ...setup,
    statuses,
    statusOf,
    patch: (id: string, body: object) => app.admin('PATCH', `${SIGNERS}/${id}`, body),
    statusesOf: async (...keys: readonly MintKey[]) => {
      const found: number[] = []
      for (const key of keys) found.push(...(await statuses(key)))
      return found
    },
    refresh: async (id: string) => (await app.admin('POST', `${SIGNERS}/${id}/refresh-keys`)).json.data.keyStatus,
    keyStatus: async (id: string) => (await app.admin('GET', `${SIGNERS}/${id}`)).json.data.keyStatus,
  }
}

test('F-17 keys that are not pinned are ignored with a warning, whatever the source', async (t) => {
  const { provider, createSigner, statusesOf, patch, keyStatus, explain, token } = await setUp(t)
  provider.keys = [OLD, NEXT]
  const id = await createSigner()
  assert.deepEqual(await statusesOf(OLD, NEXT), [200, 200])
  assert.equal((await patch(id, pin(NEXT))).status, 200)
  assert.deepEqual(await statusesOf(OLD, NEXT), [401, 200])
  const status = await keyStatus(id)
  assert.deepEqual([status.keys.length, status.ignoredKeys.length], [1, 1])
  assert.match(status.warnings.join(), new RegExp(`${OLD.kid}.*not pinned`))
  const { hints, signers } = await explain(token({}, OLD))
  assert.equal(signers[0].reason, 'kid-unknown')
  assert.match(hints.join(), /pinnedKeyThumbprints/)
  assert.equal((await patch(id, { jwksEndpoint: '', jwks: { keys: [OLD.jwk, NEXT.jwk] } })).status, 200)
  assert.deepEqual(await statusesOf(OLD, NEXT), [401, 200])
  assert.equal((await patch(id, { pinnedKeyThumbprints: [] })).status, 200)
  assert.deepEqual(await statusesOf(OLD, NEXT), [200, 200])
  for (const wrong of ['', 'x'.repeat(43), 'a'.repeat(42), `${pin(OLD).pinnedKeyThumbprints[0]}=`, 7]) {
    assert.equal((await patch(id, { pinnedKeyThumbprints: [wrong] })).status, 400, String(wrong))
  }
})

test('F-17 I-15 a pin that excludes a key in use ends the sessions, and one for all keys does not', async (t) => {
  const { app, createSigner, token, patch, statusOf } = await setUp(t)
  const id = await createSigner()
  const logIn = async () => (await logInWithToken(app, token({}, OLD))).json.data.token as string
  const session = await logIn()
  assert.equal((await patch(id, pin(OLD, NEXT))).status, 200)
  assert.equal(await statusOf(session), 200)
  assert.equal((await patch(id, pin(NEXT))).status, 200)
  assert.equal(await statusOf(session), 401)
})

test('F-16 a key set without a known key waits for a confirmation, at every node', async (t) => {
  const { app, provider, createSigner, statusesOf, refresh, keyStatus, explain, token } = await setUp(t)
  const id = await createSigner({ requireKeyContinuity: true })
  assert.deepEqual(await statusesOf(OLD), [200])
  const confirm = (body?: object, session = app.adminSession) =>
    app.call('POST', `${SIGNERS}/${id}/confirm-keys`, body, { session })
  assert.equal(summarize(await confirm()), '409 NO_PENDING_KEYS')
  provider.keys = [OLD, NEXT]
  assert.equal((await refresh(id)).pendingKeys, undefined, 'a rotation with an overlap needs none')
  assert.deepEqual(await statusesOf(OLD, NEXT), [200, 200])
  provider.keys = [OTHER]
  const status = await refresh(id)
  assert.deepEqual([status.lastError, status.keys.length], [null, 2])
  assert.deepEqual(
    status.pendingKeys.map(({ kid }: { kid: string }) => kid),
    [OTHER.kid],
  )
  assert.match(status.warnings.join(), /shares no key/)
  assert.deepEqual(await statusesOf(OLD, NEXT, OTHER), [200, 200, 401])
  for (const _ of app.stores) assert.equal((await keyStatus(id)).pendingKeys?.length, 1)
  assert.match((await explain(token({}, OTHER))).hints.join(), /confirm the keys/)
  assert.equal(summarize(await confirm({ thumbprints: pin(NEXT).pinnedKeyThumbprints })), '409 NO_PENDING_KEYS')
  const confirmed = await confirm({ thumbprints: pin(OTHER).pinnedKeyThumbprints })
  assert.equal(confirmed.status, 200, confirmed.text)
  assert.equal(confirmed.json.data.keyStatus.pendingKeys, undefined)
  assert.deepEqual(await statusesOf(OLD, OTHER), [401, 200])
  assert.equal(summarize(await confirm()), '409 NO_PENDING_KEYS')
})

test('F-16 keys that wait for a confirmation wait after a restart too', async (t) => {
  const { app, provider, createSigner, statusesOf, refresh } = await setUp(t)
  const id = await createSigner({ requireKeyContinuity: true })
  assert.deepEqual(await statusesOf(OLD), [200])
  provider.keys = [OTHER]
  assert.equal((await refresh(id)).pendingKeys.length, 1)
  await app.restart()
  assert.deepEqual(await statusesOf(OLD, OTHER), [200, 401])
  assert.equal((await refresh(id)).pendingKeys.length, 1)
  assert.deepEqual(await statusesOf(OLD, OTHER), [200, 401])
  const confirmed = await app.admin('POST', `${SIGNERS}/${id}/confirm-keys`)
  assert.equal(confirmed.status, 200, confirmed.text)
  await app.restart()
  assert.deepEqual(await statusesOf(OLD, OTHER), [401, 200])
})

test('F-16 F-10 an empty key set in between does not make other keys acceptable', async (t) => {
  const { app, provider, createSigner, statusesOf, refresh } = await setUp(t)
  const id = await createSigner({ requireKeyContinuity: true })
  assert.deepEqual(await statusesOf(OLD), [200])
  provider.keys = []
  await refresh(id)
  const now = app.clock.now()
  const empty = { ...keyEndpoint('https://idp.example/jwks', null), jwks: '{"keys":[]}', thumbprints: [] }
  // As it is stored when the provider returns no keys again after a minute.
  await app.store.run(storeKeySet, { signerId: id, ...empty, fetchedAt: now }, { actorId: 'system', now })
  assert.deepEqual(await statusesOf(OLD), [401])
  provider.keys = [OTHER]
  assert.equal((await refresh(id)).pendingKeys.length, 1)
  assert.deepEqual(await statusesOf(OTHER), [401])
  provider.keys = [OLD]
  assert.equal((await refresh(id)).pendingKeys, undefined, 'the provider returned to the earlier keys')
  assert.deepEqual(await statusesOf(OLD, OTHER), [200, 401])
})

test('D55 a confirmation by a holder of the permission keeps trust only for pinned keys', async (t) => {
  const { app, provider, createSigner, refresh, statusesOf } = await setUp(t)
  const { session } = await app.makeIdentity({ permissions: ['external-jwt-signer'] })
  const reader = await app.makeIdentity({ permissions: ['external-jwt-signer.read', 'external-jwt-signer.push-keys'] })
  const trustAfter = async (members: object) => {
    provider.keys = [OLD]
    const id = await createSigner({ requireKeyContinuity: true, ...members })
    await refresh(id)
    provider.keys = [OTHER]
    await refresh(id)
    const confirm = (by: string) => app.call('POST', `${SIGNERS}/${id}/confirm-keys`, undefined, { session: by })
    assert.equal(summarize(await confirm(reader.session)), '401 UNAUTHORIZED')
    assert.equal((await confirm(session)).status, 200)
    assert.deepEqual(await statusesOf(OTHER), [200])
    const { state } = (await app.admin('GET', `${SIGNERS}/${id}`)).json.data.trust
    await app.admin('DELETE', `${SIGNERS}/${id}`)
    return state
  }
  assert.equal(await trustAfter({}), 'untrusted')
  assert.equal(await trustAfter(pin(OLD, OTHER)), 'trusted')
})

const SECRET = 'Bearer the-secret-of-the-key-endpoint'

test('D65 G-33 R-11 the credential of the endpoint is sealed, sent with each fetch, and never shown', async (t) => {
  const { app, provider, createSigner, patch, refresh } = await setUp(t)
  const id = await createSigner({ jwksAuthorization: SECRET })
  const isSet = async () => (await app.admin('GET', `${SIGNERS}/${id}`)).json.data.jwksAuthorizationSet
  const lastSent = async () => {
    await refresh(id)
    return provider.authorization
  }
  assert.deepEqual([await isSet(), await lastSent()], [true, SECRET])
  assert.equal((await patch(id, { name: 'renamed' })).status, 200)
  assert.deepEqual([await isSet(), await lastSent()], [true, SECRET])
  const { data } = (await app.admin('GET', `${SIGNERS}/${id}`)).json
  assert.equal((await app.admin('PUT', `${SIGNERS}/${id}`, data)).status, 200)
  assert.equal(await isSet(), true, 'a PUT without it keeps it')
  assert.equal((await patch(id, { jwksEndpoint: 'https://elsewhere.example/jwks' })).status, 200)
  assert.deepEqual([await isSet(), await lastSent()], [false, undefined], 'another address')
  const both = { jwksEndpoint: 'https://third.example/jwks', jwksAuthorization: SECRET }
  assert.equal((await patch(id, both)).status, 200)
  assert.deepEqual([await isSet(), await lastSent()], [true, SECRET], 'another address with it')
  assert.equal((await patch(id, { jwksAuthorization: null })).status, 200)
  assert.deepEqual([await isSet(), await lastSent()], [false, undefined])
  assert.equal((await patch(id, { jwksAuthorization: SECRET })).status, 200)
  assert.equal(await lastSent(), SECRET)
  for (const wrong of ['a\r\nb', ' a', 'ä', 'a\u0000']) {
    assert.equal((await patch(id, { jwksAuthorization: wrong })).status, 400, JSON.stringify(wrong))
  }
  const other = await app.admin('POST', SIGNERS, {
    ...data,
    name: 'static',
    audience: 'x',
    jwksEndpoint: null,
    ...STATIC,
  })
  assert.equal(summarize(other), '400 COULD_NOT_VALIDATE jwksAuthorization')
  const rows = await app.store.db.selectFrom('ext_jwt_signers').selectAll().execute()
  const shown = JSON.stringify([
    rows,
    app.logged,
    app.published,
    data,
    (await app.admin('GET', SIGNERS)).text,
    (await app.call('GET', '/edge/client/v1/external-jwt-signers')).text,
  ])
  assert.ok(!shown.includes(SECRET.slice(7)))
})

const STATIC = { jwks: { keys: [OLD.jwk] }, jwksAuthorization: SECRET }

test('D65 G-33 a caller who is no administrator cannot choose the CA of a server that gets the credential', async (t) => {
  const { app, createSigner, patch } = await setUp(t)
  const holder = await app.makeIdentity({ permissions: ['external-jwt-signer'] })
  const isSetAfter = async (body: object, asAdmin: boolean, members: object = {}) => {
    const names = { audience: `of ${count++}`, name: `signer ${count}` }
    const id = await createSigner({ ...names, jwksAuthorization: SECRET, ...members })
    const reply = asAdmin
      ? await patch(id, body)
      : await app.call('PATCH', `${SIGNERS}/${id}`, body, { session: holder.session })
    assert.equal(reply.status, 200, reply.text)
    return (await app.admin('GET', `${SIGNERS}/${id}`)).json.data.jwksAuthorizationSet
  }
  let count = 0
  const another = { jwksCaPem: makeTestCertificate().pem }
  assert.equal(await isSetAfter(another, false), false)
  assert.equal(await isSetAfter({ ...another, jwksAuthorization: SECRET }, false), true)
  assert.equal(await isSetAfter({ clientId: 'other' }, false), true)
  assert.equal(await isSetAfter(another, true), true)
  const otherLineEnds = { jwksCaPem: another.jwksCaPem.replaceAll('\n', '\r\n') }
  assert.equal(await isSetAfter(otherLineEnds, false, another), true)
})
