import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mintKey } from '@countersign/testkit'
import { newPostgresDatabase } from '../http/build-app.ts'
import { DECISIONS, storeDecisions } from '../http/provider.fixture.ts'
import { KINDS, type KindName, setUpHosted } from './hosted.fixture.ts'

const NETWORKS = '/core/v3/networks'
const SELF = '/identity/v1/identities/self'

for (const kind of Object.keys(KINDS) as KindName[]) {
  test(`S2-1 S2-4 S2-4.1 S2-4.2 S2-5.1 S2-5.6 S2-5.7 D41 P-01 a machine of ${kind} lists its networks and sees itself`, async (t) => {
    const { createProvider, createAccount, token, call } = await setUpHosted(t)
    const provider = await createProvider(kind)
    const id = await createAccount(provider, 'machine-1')
    const bearer = token(kind, 'machine-1')
    const networks = await call('GET', NETWORKS, bearer)
    assert.equal(networks.status, 200, networks.text)
    assert.equal(networks.json._embedded.networkList[0].name, 'local')
    const self = await call('GET', SELF, bearer)
    assert.deepEqual([self.status, self.json.id, self.json.type], [200, id, 'ApiAccountIdentity'])
    assert.equal(self.json.clientId, 'machine-1')
    assert.equal(self.json.identityProviderId, provider)
    assert.equal((await call('GET', NETWORKS)).status, 401)
  })
}

test('D44 S2-4 a missing or invalid token is 401 with a Bearer challenge, and no response may be cached', async (t) => {
  const { createProvider, createAccount, token, call } = await setUpHosted(t)
  await createAccount(await createProvider('cognito'), 'machine-1')
  const good = token('cognito', 'machine-1')
  for (const path of [NETWORKS, SELF, '/auth/v1/roles', '/core/v2/network-groups']) {
    const nothing = await call('GET', path)
    assert.deepEqual([nothing.status, nothing.headers['www-authenticate']], [401, 'Bearer realm="countersign"'])
    const bad = await call('GET', path, `${good}x`)
    assert.equal(bad.status, 401)
    assert.match(bad.headers['www-authenticate'] ?? '', /^Bearer .*error="invalid_token"$/)
    assert.deepEqual(bad.json.status, { code: 401, label: 'UNAUTHORIZED' })
    assert.equal(typeof bad.json.traceId, 'string')
    const fine = await call('GET', path, good)
    assert.equal(fine.status, 200)
    for (const reply of [nothing, bad, fine]) {
      assert.equal(reply.headers.vary, 'Authorization')
      assert.equal(reply.headers['cache-control'], 'no-store')
    }
  }
})

test('B-07 P-11 a forged token whose client id the database cannot hold is 401', async (t) => {
  const { createProvider, createAccount, token, call } = await setUpHosted(t, { database: await newPostgresDatabase() })
  await createAccount(await createProvider('keycloak'), 'machine-1')
  const stranger = mintKey('P-256', 'stranger')
  for (const clientId of ['machine-1', 'machine\0', '\uffff', 'x'.repeat(5_000)]) {
    assert.equal((await call('GET', NETWORKS, token('keycloak', clientId, {}, stranger))).status, 401)
  }
  assert.equal((await call('GET', NETWORKS, token('keycloak', 'machine-1'))).status, 200)
})

test('D44 every spelling of a path gets the hosted API’s response, without CORS', async (t) => {
  const { app, createProvider, createAccount, token, call } = await setUpHosted(t)
  await createAccount(await createProvider('cognito'), 'machine-1')
  const good = token('cognito', 'machine-1')
  for (const path of ['/core/v3/networks', '/%63ore/v3/networks', '//core//v3/networks/', '/core/v3/network%73']) {
    const [fine, bad] = [await call('GET', path, good), await call('GET', path)]
    assert.deepEqual([fine.status, bad.status, bad.json.status?.code], [200, 401, 401], path)
    for (const { headers } of [fine, bad]) {
      assert.deepEqual([headers.vary, headers['cache-control']], ['Authorization', 'no-store'], path)
    }
  }
  const origin = 'https://elsewhere.example'
  for (const headers of [{ origin, authorization: `Bearer ${good}` }, { origin }]) {
    const reply = await app.call('GET', '/core/v3/networks', undefined, { headers })
    assert.equal(reply.headers.vary, 'Authorization, Origin')
  }
  assert.equal((await call('GET', '/edge/client/v1/version')).headers.vary, undefined)
  assert.equal((await call('GET', '/authentic/v1')).headers.vary, undefined)
  assert.equal((await call('GET', '/%zz')).status, 400)
})

const REFUSED: readonly [row: string, what: string, kind: KindName, claims: Readonly<Record<string, unknown>>][] = [
  ['P-02', 'an ID token of a user pool', 'cognito', { token_use: 'id', aud: 'machine-1' }],
  ['P-03', 'another app client of the same pool', 'cognito', { client_id: 'machine-2', sub: 'machine-2' }],
  [
    'P-03',
    'another pool of the same region',
    'cognito',
    { iss: 'https://cognito-idp.us-east-1.amazonaws.com/us-east-1_OTHER' },
  ],
  ['P-05', 'the issuer without its slash', 'auth0', { iss: 'https://acme.us.auth0.com' }],
  ['P-05', 'another audience', 'auth0', { aud: 'https://acme.us.auth0.com/userinfo' }],
  [
    'P-06',
    'version 1 of the same tenant',
    'entra',
    { iss: 'https://sts.windows.net/11111111-2222-3333-4444-555555555555/' },
  ],
  [
    'P-07',
    'another tenant, same key',
    'entra',
    { iss: 'https://login.microsoftonline.com/22222222-2222-3333-4444-555555555555/v2.0' },
  ],
  ['P-08', 'a user token', 'entra', { scp: 'user_impersonation' }],
  ['D-01', 'an expired token', 'keycloak', { exp: 1 }],
  ['D-01', 'a token from the future', 'keycloak', { nbf: 99_999_999_999 }],
  ['D-01', 'a token without exp', 'keycloak', { exp: undefined }],
  ['D-01', 'a foreign audience', 'keycloak', { aud: 'account' }],
]

for (const [row, what, kind, claims] of REFUSED) {
  test(`${row} at the hosted API ${what} is 401`, async (t) => {
    const { createProvider, createAccount, token, call } = await setUpHosted(t)
    await createAccount(await createProvider(kind), 'machine-1')
    assert.equal((await call('GET', SELF, token(kind, 'machine-1'))).status, 200)
    const reply = await call('GET', SELF, token(kind, 'machine-1', claims))
    assert.equal(reply.status, 401, reply.text)
    assert.equal(reply.text.includes('machine-1'), false)
  })
}

test('D-01 at the hosted API a token signed by another key, without kid, or unsigned is 401', async (t) => {
  const { createProvider, createAccount, token, call, key } = await setUpHosted(t)
  await createAccount(await createProvider('auth0'), 'machine-1')
  assert.equal((await call('GET', SELF, token('auth0', 'machine-1'))).status, 200)
  const otherKey = mintKey('P-256', key.kid)
  assert.equal((await call('GET', SELF, token('auth0', 'machine-1', {}, otherKey))).status, 401)
  const [, claims = ''] = token('auth0', 'machine-1').split('.')
  const none = Buffer.from('{"alg":"none","kid":"x"}').toString('base64url')
  assert.equal((await call('GET', SELF, `${none}.${claims}.`)).status, 401)
})

test('P-11 the same client id at two providers means two accounts', async (t) => {
  const { createProvider, createAccount, token, call } = await setUpHosted(t)
  const pool = await createAccount(await createProvider('cognito'), 'same-id', { name: 'pool' })
  const platform = await createAccount(await createProvider('auth0'), 'same-id', { name: 'platform' })
  assert.equal((await call('GET', SELF, token('cognito', 'same-id'))).json.id, pool)
  assert.equal((await call('GET', SELF, token('auth0', 'same-id'))).json.id, platform)
})

test('P-04 D47 a scope counts only where the record requires one, and then a missing one is 403', async (t) => {
  const { app, createProvider, createAccount, token, call } = await setUpHosted(t)
  const provider = await createProvider('cognito')
  await createAccount(provider, 'machine-1')
  const scopes = [undefined, 'other/scope', ['networks'], 'networks other']
  for (const scope of scopes) {
    assert.equal((await call('GET', SELF, token('cognito', 'machine-1', { scope }))).status, 200)
  }
  const changed = await app.admin('PATCH', `/identity/v1/identity-providers/${provider}`, { requiredScope: 'networks' })
  assert.equal(changed.status, 200, changed.text)
  const statuses = []
  for (const scope of scopes) {
    const reply = await call('GET', SELF, token('cognito', 'machine-1', { scope }))
    statuses.push(reply.status)
    if (reply.status === 403) assert.match(reply.headers['www-authenticate'] ?? '', /error="insufficient_scope"/)
  }
  assert.deepEqual(statuses, [403, 403, 200, 200])
})

test('D42 P-10 a disabled or deleted account, provider or organization is 401 at once, whatever the token says', async (t) => {
  const { app, createProvider, createAccount, token, call, bodyOf } = await setUpHosted(t)
  const provider = await createProvider('cognito')
  const account = await createAccount(provider, 'machine-1')
  const bearer = token('cognito', 'machine-1')
  const expectStatus = async (status: number) => assert.equal((await call('GET', SELF, bearer)).status, status)
  const patch = async (path: string, body: object) => bodyOf(await app.admin('PATCH', path, body), 200)
  await expectStatus(200)
  for (const [path, off, on] of [
    [`/identity/v1/api-account-identities/${account}`, { active: false }, { active: true }],
    [`/identity/v1/identity-providers/${provider}`, { enabled: false }, { enabled: true }],
  ] as const) {
    await patch(path, off)
    await expectStatus(401)
    await patch(path, on)
    await expectStatus(200)
  }
  assert.equal((await app.admin('DELETE', `/identity/v1/api-account-identities/${account}`)).status, 204)
  await expectStatus(401)
})

test('D45 an administrator’s session acts for the organization of this controller; next to a Bearer token it is ignored', async (t) => {
  const { app, createProvider, createAccount, token } = await setUpHosted(t)
  await createAccount(await createProvider('cognito'), 'machine-1')
  const self = await app.admin('GET', SELF)
  assert.deepEqual([self.status, self.json.type, self.json.name], [200, 'UserIdentity', 'admin'])
  const { session } = await app.makeIdentity()
  assert.equal((await app.call('GET', SELF, undefined, { session })).status, 403)
  assert.equal((await app.call('GET', SELF, undefined, { session: 'x' })).status, 401)
  const both = (bearer: string) => app.admin('GET', SELF, undefined, { headers: { authorization: `Bearer ${bearer}` } })
  assert.equal((await both('garbage')).status, 401)
  assert.equal((await both(token('cognito', 'machine-1'))).json.type, 'ApiAccountIdentity')
})

test('D57 a read-only account, and one without a named role, reads everything and changes nothing', async (t) => {
  const { createProvider, createAccount, token, call } = await setUpHosted(t)
  const provider = await createProvider('cognito')
  await createAccount(provider, 'reader', { role: 'read-only' })
  await createAccount(provider, 'unnamed', { name: 'unnamed', role: undefined })
  await createAccount(provider, 'writer', { name: 'writer', role: 'admin' })
  const body = { name: 'second' }
  for (const [client, status] of [
    ['reader', 403],
    ['unnamed', 403],
    ['writer', 201],
  ] as const) {
    const bearer = token('cognito', client)
    assert.equal((await call('GET', NETWORKS, bearer)).status, 200)
    assert.equal((await call('POST', NETWORKS, bearer, body)).status, status)
  }
})

test('D18 the reason for a refused token at the hosted API is found by the trace id, without the token', async (t) => {
  const { app, createProvider, createAccount, token, call } = await setUpHosted(t)
  const provider = await createProvider('auth0')
  await createAccount(provider, 'machine-1')
  const wrong = token('auth0', 'machine-1', { aud: 'https://other.example/' })
  const reasons = []
  for (const bearer of [wrong, token('auth0', 'unknown-client'), token('auth0', 'machine-1', { exp: 1 }), 'garbage']) {
    const { json } = await call('GET', SELF, bearer)
    await storeDecisions(app)
    const decision = await app.admin('GET', `${DECISIONS}/${json.traceId}`)
    assert.equal(decision.status, 200, decision.text)
    assert.equal(decision.json.data.method, 'api-account')
    assert.equal(decision.text.includes(bearer), false)
    reasons.push(decision.json.data.reason)
    if (bearer === wrong) {
      assert.equal(decision.json.data.signers.length, 1, decision.text)
      const [{ signerId, checks }] = decision.json.data.signers
      assert.equal(signerId, provider)
      assert.deepEqual(checks.at(-1), {
        check: 'audience',
        expected: 'https://gateway.example.net/',
        received: 'https://other.example/',
        pass: false,
      })
    }
  }
  assert.deepEqual(reasons, ['audience-mismatch', 'account-unknown', 'token-expired', 'token-malformed'])
})

test('P-08 a person of Keycloak is no machine, whatever user name they chose', async (t) => {
  const { createProvider, createAccount, token, call } = await setUpHosted(t)
  await createAccount(await createProvider('keycloak'), 'console')
  const status = async (claims: object) =>
    (await call('GET', '/core/v3/networks', token('keycloak', 'console', { ...claims }))).status
  const person = { client_id: undefined, preferred_username: 'service-account-mallory' }
  assert.equal(await status(person), 401)
  assert.equal(await status({ sid: 'a session' }), 401)
  assert.equal(await status({}), 200)
})
