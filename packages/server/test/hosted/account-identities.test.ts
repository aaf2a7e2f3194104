import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createIdentity } from '../../src/operations/identity/create-identity.ts'
import { verifyTotp } from '../../src/operations/totp/start-totp.ts'
import { enrollTotp, MFA, makeUser } from '../http/one-time-codes.fixture.ts'
import { setUpHosted } from './hosted.fixture.ts'

const MANAGEMENT = '/edge/management/v1'

async function setUp(t: Parameters<typeof setUpHosted>[0], role: string) {
  const hosted = await setUpHosted(t)
  const { app, createAccount, createProvider, token, call, key } = hosted
  const account = await createAccount(await createProvider('cognito'), 'machine', { role })
  const bearer = token('cognito', 'machine')
  const [local] = (await call('GET', '/core/v3/networks', bearer)).json._embedded.networkList
  const exchange = () => call('POST', `/core/v3/networks/${local.id}/exchange`, bearer, { type: 'session' })
  const signer = await app.admin('POST', `${MANAGEMENT}/ext-jwt-signers`, {
    name: 'by id',
    enabled: true,
    issuer: 'https://cognito-idp.us-east-1.amazonaws.com/us-east-1_EXAMPLE',
    audience: 'overlay',
    jwksEndpoint: 'https://keys.example/jwks',
    enrollToTokenEnabled: true,
  })
  assert.equal(signer.status, 201, signer.text)
  const withToken = (path: string, sub: string) =>
    app.call(
      'POST',
      `/edge/client/v1/${path}`,
      {},
      {
        headers: { authorization: `Bearer ${token('cognito', 'x', { sub, aud: 'overlay' }, key)}` },
      },
    )
  return {
    ...hosted,
    account,
    identity: `api-account:${account}`,
    exchange,
    enroll: (sub: string) => withToken('enroll/token', sub),
    logIn: (sub: string) => withToken('authenticate?method=ext-jwt', sub),
  }
}

test('D46 S2-5.1 enrollment as the identity of an account is refused', async (t) => {
  const { enroll, exchange, logIn, identity, account } = await setUp(t, 'admin')
  const taken = await enroll(identity)
  assert.deepEqual([taken.status, taken.json.error.code], [400, 'INVALID_ENROLLMENT_TOKEN'], taken.text)
  assert.equal((await enroll(account)).status, 200)
  assert.equal((await exchange()).status, 200)
  assert.equal((await logIn(identity)).status, 401)
  const other = await logIn(account)
  assert.deepEqual([other.status, other.json.data.identity.id], [200, account])
})

for (const who of ['an administrator', 'a manager of identities'] as const) {
  test(`D46 D35 ${who} cannot give the identity of an account credentials or another policy`, async (t) => {
    const { app, account, exchange, identity } = await setUp(t, 'read-only')
    assert.equal((await exchange()).status, 200)
    const permissions = ['identity', 'enrollment', 'auth-policy', 'admin_readonly']
    const by = who === 'an administrator' ? app.adminSession : (await app.makeIdentity({ permissions })).session
    const call = async (method: string, path: string, body: unknown) => {
      const { status, json } = await app.call(method, `${MANAGEMENT}/${path}`, body, { session: by })
      return status < 300 ? status : json.error.code
    }
    const { id: plain } = await app.makeIdentity({ permissions: ['admin_readonly'] })
    const refused = 'ENTITY_CAN_NOT_BE_UPDATED'
    const policy = { name: 'similar', primary: { extJwt: { allowed: true } } }
    const results: readonly [
      what: string,
      method: string,
      path: (id: string) => string,
      body: (id: string) => unknown,
    ][] = [
      ['policy', 'PATCH', (id) => `identities/${id}`, () => ({ authPolicyId: 'default' })],
      ['external id', 'PATCH', (id) => `identities/${id}`, () => ({ externalId: 'attacker' })],
      ['name', 'PATCH', (id) => `identities/${id}`, () => ({ name: 'attacker' })],
      [
        'enrollment',
        'POST',
        () => 'enrollments',
        (id) => ({ method: 'ott', identityId: id, expiresAt: '2099-01-01T00:00:00Z' }),
      ],
      [
        'password',
        'POST',
        () => 'authenticators',
        (id) => ({ method: 'updb', identityId: id, username: `u ${id}`, password: 'attacker-password' }),
      ],
    ]
    for (const [what, method, path, body] of results) {
      assert.equal(await call(method, path(identity), body(identity)), refused, what)
      const twin = what === 'policy' ? { authPolicyId: 'api-accounts' } : body(plain)
      const accepted = await call(method, path(plain), twin)
      const hasPassword = what === 'password' ? 'MAX_AUTHENTICATOR_METHODS_REACHED' : undefined
      assert.ok(accepted === 200 || accepted === 201 || accepted === hasPassword, `${what}: ${accepted}`)
    }
    assert.equal(await call('PATCH', 'auth-policies/api-accounts', policy), refused)
    assert.equal(await call('PATCH', `identities/${identity}`, { attributes: ['machines'] }), 200)
    await app.admin('PATCH', `/identity/v1/api-account-identities/${account}`, { role: 'admin' })
    assert.equal((await exchange()).status, 200)
  })
}

test('D46 an identity or policy that takes the name of an account’s does not block the account', async (t) => {
  const { app, exchange, identity, account } = await setUp(t, 'admin')
  const make = (name: string) =>
    app.admin('POST', `${MANAGEMENT}/identities`, { name, type: 'Default', isAdmin: false })
  const taken = await make(identity)
  assert.deepEqual([taken.status, taken.json.error.cause.field], [400, 'name'])
  assert.equal((await make(account)).status, 201)
  const policy = await app.admin('GET', `${MANAGEMENT}/auth-policies/default`)
  const { primary, secondary } = policy.json.data
  const body = { name: 'API accounts', primary, secondary }
  assert.equal((await app.admin('POST', `${MANAGEMENT}/auth-policies`, body)).status, 201)
  assert.equal((await exchange()).status, 200)
})

test('D46 an identity with another login method loses it at the next exchange', async (t) => {
  const { app, exchange, identity } = await setUp(t, 'admin')
  const body = { name: identity, type: 'Default' as const, isAdmin: false, authPolicyId: 'default' }
  const by = { actorId: 'system', now: app.clock.now() }
  await app.store.run(createIdentity, { id: identity, body }, by)
  assert.equal((await exchange()).status, 200)
  const found = await app.admin('GET', `${MANAGEMENT}/identities/${identity}`)
  assert.equal(found.json.data.authPolicyId, 'api-accounts')
})

test('D46 a session of an account sets up no one-time codes, which would lock its other sessions out', async (t) => {
  const { app, exchange, identity } = await setUp(t, 'admin')
  const session = (await exchange()).json.value
  const started = await app.call('POST', MFA, undefined, { session })
  assert.deepEqual([started.status, started.json.error?.code], [400, 'ENTITY_CAN_NOT_BE_UPDATED'])
  // What an earlier version has started: the transaction decides too.
  const tx = { db: app.store.db, actor: { id: identity } } as never
  const guess = { totpId: 'x', match: undefined } as never
  await assert.rejects(verifyTotp.run(tx, { id: identity, sessionId: 'x', secondSigner: null, guess }), {
    code: 'ENTITY_CAN_NOT_BE_UPDATED',
  })
  const again = await exchange()
  assert.equal(
    (await app.call('GET', `${MANAGEMENT}/identities`, undefined, { session: again.json.value })).status,
    200,
  )
  await enrollTotp(app, (await makeUser(app)).session)
})
