import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { ENROLL_TOKEN, KINDS, POLICIES } from '../http/enroll-token.fixture.ts'
import { IDENTITIES } from '../http/identities.fixture.ts'
import { ALICE, SIGNERS, setUpProvider } from '../http/provider.fixture.ts'
import { race, raceTokenLogin } from './race.fixture.ts'

const SYNCING = { attributeSync: 'login', enrollAttributeClaimsSelector: 'groups' }
const PROVISIONING = { ...SYNCING, enrollToTokenEnabled: true, provisionOnLogin: true }

/** Logs in by token; `happen` runs directly before the named operation. */
async function setUp(t: TestContext, signer: Readonly<Record<string, unknown>>) {
  const provider = await setUpProvider(t)
  const { app, token, createSigner } = provider
  const signerId = await createSigner(signer)
  const logIn = (operation: string, happen: () => Promise<unknown> = async () => {}) =>
    raceTokenLogin({ app }, token({ groups: ['a'] }), operation, happen)
  const find = async () => (await app.admin('GET', `${IDENTITIES}?filter=externalId = "${ALICE}"`)).json.data[0]
  const patchSigner = (body: unknown) => app.admin('PATCH', `${SIGNERS}/${signerId}`, body)
  const patch = (id: string, body: unknown) => app.admin('PATCH', `${IDENTITIES}/${id}`, body)
  return { ...provider, signerId, logIn, find, patch, patchSigner }
}

test('I-02 a login while its identity expires opens no session', async (t) => {
  const { app, createIdentity, logIn, patch } = await setUp(t, {})
  const id = await createIdentity()
  assert.equal((await logIn('apiSession.create')).status, 200)
  const refused = await logIn('apiSession.create', () => patch(id, { expiresAt: '2000-01-01T00:00:00Z' }))
  assert.equal(refused.status, 401)
  assert.deepEqual(
    await app.store.db.selectFrom('api_sessions').select('id').where('identity_id', '=', id).execute(),
    [],
  )
})

test('a signer that stops to supply attributes during a login supplies none', async (t) => {
  const { createIdentity, logIn, find, patchSigner } = await setUp(t, SYNCING)
  await createIdentity()
  assert.equal((await logIn('identity.sync', () => patchSigner({ attributeSync: 'enrollment' }))).status, 200)
  assert.deepEqual((await find()).attributeOrigins, [])
  await patchSigner({ attributeSync: 'login' })
  assert.equal((await logIn('identity.sync')).status, 200)
  assert.deepEqual((await find()).roleAttributes, ['a'])
})

test('D59 a token that may not log the identity in any more supplies no attributes', async (t) => {
  const { app, createIdentity, logIn, patch, patchSigner, signerId } = await setUp(t, SYNCING)
  const id = await createIdentity()
  const read = async () => (await app.admin('GET', `${IDENTITIES}/${id}`)).json.data.roleAttributes
  const taken = await logIn('identity.sync', () => patch(id, { externalId: 'another' }))
  assert.deepEqual([taken.status, await read()], [401, []])

  await patch(id, { externalId: ALICE })
  const { session } = await app.makeIdentity({ permissions: ['external-jwt-signer', 'identity'] })
  await app.call('PATCH', `${SIGNERS}/${signerId}`, { clockSkewSeconds: 1 }, { session })
  const promoted = await logIn('identity.sync', () => patch(id, { isAdmin: true }))
  assert.deepEqual([promoted.status, await read()], [200, []], 'the session is refused when it is used')

  await patchSigner({ clockSkewSeconds: 2 })
  assert.equal((await logIn('identity.sync')).status, 200)
  assert.deepEqual(await read(), ['a'])
})

test('attributes that an administrator writes during a login are kept', async (t) => {
  const { createIdentity, logIn, find, patch } = await setUp(t, SYNCING)
  const id = await createIdentity()
  assert.equal((await logIn('identity.sync', () => patch(id, { roleAttributes: ['staff'] }))).status, 200)
  assert.deepEqual((await find()).roleAttributes, ['a', 'staff'])
})

test('a signer that stops to provision during a login provisions nothing', async (t) => {
  const { logIn, find, patchSigner } = await setUp(t, PROVISIONING)
  for (const body of [{ provisionOnLogin: false }, { enabled: false }]) {
    assert.equal((await logIn('enrollment.byJwt', () => patchSigner(body))).status, 401)
    assert.equal(await find(), undefined)
    await patchSigner({ provisionOnLogin: true, enabled: true })
  }
  assert.equal((await logIn('enrollment.byJwt')).status, 200)
})

test('an identity that is created and deleted during a login is not provisioned again', async (t) => {
  const { app, createIdentity, logIn, find } = await setUp(t, PROVISIONING)
  const refused = await logIn('enrollment.byJwt', async () => {
    await app.admin('DELETE', `${IDENTITIES}/${await createIdentity()}`)
  })
  assert.equal(refused.status, 401)
  assert.equal(await find(), undefined)
})

test('D-17 a policy that requires a stronger login during an enrollment refuses it', async (t) => {
  const { app, token, find } = await setUp(t, { enrollToCertEnabled: true })
  const enrollAs = async (acr: string) => {
    const headers = { authorization: `Bearer ${token({ acr })}` }
    const request = { method: 'POST', path: ENROLL_TOKEN, body: KINDS.cert(), headers } as const
    const { reply, hasWritten } = await race({ app }, { credentials: {} }, request, 'enrollment.byJwt', async () => {
      await app.admin('PATCH', `${POLICIES}/default`, { primary: { extJwt: { requireAcr: ['gold'] } } })
    })
    assert.ok(hasWritten)
    return reply
  }
  const refused = await enrollAs('silver')
  assert.equal(refused.status, 401, refused.text)
  assert.match(refused.headers['www-authenticate'] ?? '', /acr_values="gold"/)
  assert.equal(await find(), undefined)
  assert.equal((await enrollAs('gold')).status, 200)
})
