import assert from 'node:assert/strict'
import { test } from 'node:test'
import { thumbprintOf } from '@countersign/core'
import { mintKey, mintKeySet } from '@countersign/testkit'
import { jwksBody, OLD_SIGNERS, summarize } from './ext-jwt-signers.fixture.ts'
import { AUDIENCE, logInWithToken, SIGNERS, setUpProvider } from './provider.fixture.ts'

const ONE = mintKey('P-256', 'one')
const TWO = mintKey('P-256', 'two')
const MAX_AGE_SECONDS = 600
const PUSHED = { jwksEndpoint: null, pushedKeys: { maxAgeSeconds: MAX_AGE_SECONDS } }

async function setUp(...args: Parameters<typeof setUpProvider>) {
  const setup = await setUpProvider(...args)
  const { app, token, createSigner } = setup
  await setup.createIdentity()
  const id = await createSigner(PUSHED)
  const etagOf = async () => (await app.admin('GET', `${SIGNERS}/${id}`)).headers.etag ?? ''
  const push = async (jwks: unknown, options: { session?: string; etag?: string; collection?: string } = {}) => {
    const { session = app.adminSession, collection = SIGNERS } = options
    const etag = options.etag ?? (await etagOf())
    const headers = { 'if-match': etag }
    return app.call('PUT', `${collection}/${id}/pushed-keys`, jwks, { session, headers })
  }
  /** The statuses of a login at every node, twice each: the second finds the verdict of the first. */
  const statuses = async (key = ONE) => {
    const bearer = token({ exp: Math.floor(app.clock.now() / 1000) + 3600 }, key)
    const replies: number[] = []
    for (const _ of [...app.stores, ...app.stores]) replies.push((await logInWithToken(app, bearer)).status)
    return [...new Set(replies)]
  }
  const detail = async () => (await app.admin('GET', `${SIGNERS}/${id}`)).json.data
  return { ...setup, id, etagOf, push, statuses, detail }
}

test('D62 D1 pushed keys verify tokens at every node at once, and replace each other', async (t) => {
  const { push, statuses, detail } = await setUp(t)
  assert.deepEqual(await statuses(), [401])
  assert.ok((await detail()).keyStatus.warnings.some((warning: string) => warning.includes('no keys have been pushed')))
  const first = await push(mintKeySet(ONE))
  assert.equal(first.status, 200, first.text)
  assert.deepEqual(await statuses(), [200])
  const { keyStatus } = first.json.data
  assert.deepEqual([keyStatus.source, keyStatus.stale, keyStatus.keys.length], ['pushed', false, 1])
  assert.equal(Date.parse(keyStatus.staleAt) - Date.parse(keyStatus.lastSuccessAt), MAX_AGE_SECONDS * 1000)
  assert.deepEqual((await detail()).keyStatus, keyStatus)
  assert.equal((await push(mintKeySet(TWO), { collection: OLD_SIGNERS })).status, 200)
  assert.deepEqual([await statuses(ONE), await statuses(TWO)], [[401], [200]])
})

test('D62 Z-06 the audit record has the thumbprints of the keys before and after a push', async (t) => {
  const { app, push } = await setUp(t)
  for (const key of [ONE, TWO]) assert.equal((await push(mintKeySet(key))).status, 200)
  const filter = encodeURIComponent('action="signer.pushKeys" sort by at desc limit 1')
  const [entry] = (await app.admin('GET', `/edge/management/v1/audit-entries?filter=${filter}`)).json.data
  const keysOf = ({ keyThumbprints }: { keyThumbprints: string[] }) => keyThumbprints
  assert.deepEqual(
    [keysOf(entry.before), keysOf(entry.after)],
    [[thumbprintOf(ONE.publicKey)], [thumbprintOf(TWO.publicKey)]],
  )
})

test('D62 a push needs the current version of the signer, and changes it', async (t) => {
  const { app, id, etagOf, push } = await setUp(t)
  const before = await etagOf()
  const path = `${SIGNERS}/${id}/pushed-keys`
  assert.equal(summarize(await app.admin('PUT', path, mintKeySet(ONE))), '428 PRECONDITION_REQUIRED')
  const pushed = await push(mintKeySet(ONE))
  assert.equal(pushed.status, 200)
  assert.equal(pushed.headers.etag, await etagOf())
  assert.notEqual(pushed.headers.etag, before)
  assert.equal(summarize(await push(mintKeySet(ONE), { etag: before })), '412 PRECONDITION_FAILED')
  assert.equal((await push(mintKeySet(TWO), { etag: pushed.headers.etag ?? '' })).status, 200)
  const unknown = { headers: { 'if-match': '*' } }
  assert.equal(
    summarize(await app.admin('PUT', `${SIGNERS}/none/pushed-keys`, mintKeySet(ONE), unknown)),
    '404 NOT_FOUND',
  )
  const fetching = await app.admin('POST', SIGNERS, jwksBody())
  const other = `${SIGNERS}/${fetching.json.data.id}/pushed-keys`
  assert.equal(summarize(await app.admin('PUT', other, mintKeySet(ONE), unknown)), '409 PUSHED_KEYS_NOT_TAKEN')
})

test('D62 G-21 pushed keys are judged like saved ones', async (t) => {
  const { app, push, statuses } = await setUp(t)
  const secret = ONE.privateKey.export({ format: 'jwk' })
  assert.equal((await push(mintKeySet(ONE))).status, 200)
  for (const jwks of [mintKeySet({ ...secret, kid: 'p' }), { keys: [] }, {}, { keys: [{ kty: 'RSA' }] }, { keys: 7 }]) {
    const reply = await push(jwks)
    assert.equal(reply.status, 400, JSON.stringify(jwks))
    assert.ok(!reply.text.includes(String(secret.d)))
  }
  assert.ok(!app.logged.join('').includes(String(secret.d)))
  assert.deepEqual(await statuses(), [200], 'the earlier keys stay')
})

test('F-15 stale keys are refused with their own reason, with a warning from half the age on', async (t) => {
  const { app, push, statuses, detail, explain, token } = await setUp(t)
  await push(mintKeySet(ONE))
  const warned = async () => (await detail()).keyStatus.warnings.join()
  assert.deepEqual([await statuses(), await warned()], [[200], ''])
  app.clock.advance((MAX_AGE_SECONDS / 2) * 1000 - 5_000)
  assert.equal(await warned(), '')
  app.clock.advance(10_000)
  assert.match(await warned(), /become stale at/)
  assert.deepEqual(await statuses(), [200])
  app.clock.advance((MAX_AGE_SECONDS / 2) * 1000)
  const { keyStatus } = await detail()
  assert.equal(keyStatus.stale, true)
  assert.match(keyStatus.warnings.join(), /stale since/)
  assert.deepEqual(await statuses(), [401])
  const { signers, hints } = await explain(token({}, ONE))
  assert.equal(signers[0].reason, 'keys-stale')
  assert.deepEqual(signers[0].checks.find(({ check }: { check: string }) => check === 'key')?.pass, false)
  assert.match(hints.join(), /push-keys/)
  await push(mintKeySet(ONE))
  assert.deepEqual([await statuses(), await warned()], [[200], ''])
})

test('D55 D62 a push by a holder of the permission keeps trust only for pinned keys', async (t) => {
  const { app, id, push, detail } = await setUp(t)
  const holder = await app.makeIdentity({ permissions: ['external-jwt-signer.push-keys', 'external-jwt-signer.read'] })
  const updater = await app.makeIdentity({ permissions: ['external-jwt-signer.update', 'external-jwt-signer.read'] })
  const pins = { pinnedKeyThumbprints: [thumbprintOf(ONE.publicKey)] }
  const { session } = holder
  assert.equal(summarize(await push(mintKeySet(ONE), updater)), '401 UNAUTHORIZED')
  assert.equal(summarize(await app.call('PATCH', `${SIGNERS}/${id}`, pins, { session })), '401 UNAUTHORIZED')
  const stateAfter = async (...args: Parameters<typeof push>) => {
    const reply = await push(...args)
    assert.equal(reply.status, 200, reply.text)
    return (await detail()).trust.state
  }
  assert.equal(await stateAfter(mintKeySet(ONE)), 'trusted')
  assert.equal(await stateAfter(mintKeySet(ONE), { session }), 'untrusted')
  assert.equal(await stateAfter(mintKeySet(ONE)), 'untrusted', 'a push of an administrator does not give it back')
  assert.equal((await app.admin('PATCH', `${SIGNERS}/${id}`, pins)).status, 200)
  assert.equal(await stateAfter(mintKeySet(ONE), { session }), 'trusted')
  assert.equal(await stateAfter(mintKeySet(ONE, TWO), { session }), 'untrusted')
  assert.equal(await stateAfter(mintKeySet(ONE), { session }), 'untrusted', 'pinned keys give no trust')
})

test('D55 a push with administrator rights does not trust what another writer changed', async (t) => {
  const { app, id, push, detail, createIdentity, token } = await setUp(t)
  await createIdentity({ name: 'root', externalId: 'root', isAdmin: true })
  await push(mintKeySet(ONE))
  const logIn = async (aud: string) => (await logInWithToken(app, token({ sub: 'root', aud }, ONE))).status
  assert.deepEqual([await logIn(AUDIENCE), await logIn('evil')], [200, 401])
  const { session } = await app.makeIdentity({ permissions: ['external-jwt-signer'] })
  const widened = await app.call('PATCH', `${SIGNERS}/${id}`, { additionalAudiences: ['evil'] }, { session })
  assert.equal(widened.status, 200, widened.text)
  assert.equal((await push(mintKeySet(ONE, TWO))).status, 200)
  assert.equal((await detail()).trust.state, 'untrusted')
  assert.deepEqual([await logIn(AUDIENCE), await logIn('evil')], [401, 401])
  assert.equal((await app.admin('PATCH', `${SIGNERS}/${id}`, { additionalAudiences: [] })).status, 200)
  assert.deepEqual([await logIn(AUDIENCE), await logIn('evil')], [200, 401])
})

test('D62 pushed keys that a signer gave up do not come back with the setting', async (t) => {
  const { app, id, push, statuses } = await setUp(t)
  await push(mintKeySet(ONE))
  assert.deepEqual(await statuses(), [200])
  const patch = (body: object) => app.admin('PATCH', `${SIGNERS}/${id}`, body)
  assert.equal((await patch({ pushedKeys: { maxAgeSeconds: 3600 } })).status, 200)
  assert.deepEqual(await statuses(), [200], 'another age')
  assert.equal((await patch({ pushedKeys: null, jwks: mintKeySet(TWO) })).status, 200)
  assert.deepEqual([await statuses(ONE), await statuses(TWO)], [[401], [200]])
  assert.equal((await patch({ pushedKeys: PUSHED.pushedKeys, jwks: null })).status, 200)
  assert.deepEqual([await statuses(ONE), await statuses(TWO)], [[401], [401]])
  for (const maxAgeSeconds of [299, 2_592_001, 1.5, '600']) {
    assert.equal((await patch({ pushedKeys: { maxAgeSeconds } })).status, 400, String(maxAgeSeconds))
  }
})
