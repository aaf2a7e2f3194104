import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLocalJWKSet, jwtVerify } from 'jose'
import { ADMIN_PASSWORD, buildApp } from '../http/build-app.ts'
import { makeUser } from '../http/one-time-codes.fixture.ts'
import { setUpProvider } from '../http/provider.fixture.ts'
import { claimsOf, ISSUER, OidcClient, REDIRECT_URI } from './oidc.fixture.ts'

const SELF = '/edge/client/v1/current-identity'

test('W-63 a client logs in by password with PKCE and calls both APIs with its access token', async (t) => {
  const app = await buildApp(t)
  const client = new OidcClient(app)
  const tokens = await client.logIn()
  assert.equal(tokens.token_type, 'Bearer')
  assert.equal(tokens.scope, 'openid offline_access')
  assert.ok(tokens.expires_in > 1770 && tokens.expires_in <= 1800, String(tokens.expires_in))
  for (const path of [SELF, '/edge/management/v1/identities']) {
    const reply = await client.get(tokens.access_token, path)
    assert.equal(reply.status, 200, reply.text)
  }
  for (const token of [tokens.refresh_token, tokens.id_token]) {
    const reply = await client.get(token)
    assert.equal(reply.status, 401)
    assert.match(reply.headers['www-authenticate'] ?? '', /zt-session.*missing.*openziti-oidc.*missing/)
  }
})

test('the tokens verify with the published keys and have the documented claims', async (t) => {
  const app = await buildApp(t)
  const client = new OidcClient(app)
  const user = await makeUser(app, { externalId: 'bob@example' })
  const login = await client.begin()
  const form = {
    id: login.id,
    username: user.username,
    password: user.password,
    envOs: 'linux',
    envArch: 'amd64',
    envHostname: '',
    sdkType: 'ziti-sdk-golang',
    sdkAppID: 'app',
  }
  const reply = await client.call('POST', '/oidc/login/username', { form })
  assert.equal(reply.status, 302, reply.text)
  assert.equal(reply.headers.location, `${ISSUER}/authorize/callback?id=${login.id}`)
  const tokens = await client.finish(login)
  const keys = createLocalJWKSet((await client.call('GET', '/oidc/keys')).json)
  const verify = async (token: string) => {
    const { payload, protectedHeader } = await jwtVerify(token, keys, {
      issuer: ISSUER,
      audience: 'openziti',
      currentDate: new Date(app.clock.now()),
    })
    assert.equal(protectedHeader.alg, 'ES256')
    assert.equal(protectedHeader.typ, 'JWT')
    return payload
  }
  const access = await verify(tokens.access_token)
  const refresh = await verify(tokens.refresh_token)
  const idToken = await verify(tokens.id_token)
  const session = access.z_asid
  assert.match(String(session), /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  const { iat, nbf, exp, jti, auth_time: authTime, z_authid: authenticatorId, z_ra: remote, ...others } = access
  assert.equal(nbf, iat)
  assert.equal(Number(exp) - Number(iat), 1800)
  assert.ok(Number(iat) - Number(authTime) < 5)
  assert.equal(typeof authenticatorId, 'string')
  assert.equal(remote, '127.0.0.1', 'the address without its port')
  assert.deepEqual(others, {
    iss: ISSUER,
    aud: ['openziti'],
    sub: user.id,
    amr: ['password'],
    client_id: 'openziti',
    scopes: ['openid', 'offline_access'],
    z_t: 'a',
    z_asid: session,
    z_aid: 'openziti',
    z_eid: 'bob@example',
    z_cfs: null,
    z_ice: false,
    z_cer: false,
    z_ckrr: false,
    z_iccc: false,
    z_sdk: { appId: 'app', type: 'ziti-sdk-golang' },
    z_env: { arch: 'amd64', os: 'linux' },
  })
  assert.equal(refresh.z_t, 'r')
  assert.equal(refresh.z_asid, session)
  assert.notEqual(refresh.jti, jti, 'each token has its own id')
  assert.equal(Number(refresh.exp) - Number(refresh.iat), 86_400)
  assert.equal(idToken.nonce, 'N1')
  assert.equal(idToken.name, (await client.get(tokens.access_token)).json.data.name)
  assert.deepEqual([idToken.azp, idToken.z_ia, idToken.z_asid], ['openziti', false, undefined])
  assert.ok(idToken.at_hash && idToken.c_hash)
  assert.equal(claimsOf((await client.logIn()).access_token).z_ia, true)
})

test('the responses to the login step are those of existing controllers', async (t) => {
  const app = await buildApp(t)
  const client = new OidcClient(app)
  const login = await client.begin()
  const page = await client.call('GET', login.location)
  assert.equal(page.status, 200)
  assert.equal(page.headers['auth-request-id'], login.id)
  const post = (json: unknown, headers = {}) => client.call('POST', '/oidc/login/username', { json, headers })
  const right = { id: login.id, username: 'admin', password: ADMIN_PASSWORD }
  const wrong = await post({ ...right, password: 'wrong' })
  assert.equal(wrong.status, 401)
  assert.deepEqual(wrong.json, { code: 'INVALID_AUTH', message: 'The authentication request failed' })
  const unknown = await post({ ...right, id: '4eb5af20-dda6-4ff3-bb93-3b7de3da076e' })
  assert.deepEqual(
    [unknown.status, unknown.json.code, unknown.headers['www-authenticate']],
    [401, 'UNAUTHORIZED', undefined],
  )
  const empty = await post({ id: login.id })
  assert.equal(empty.status, 400)
  assert.equal(empty.json.code, 'COULD_NOT_VALIDATE')
  assert.match(JSON.stringify(empty.json.cause), /username and password fields are required/)
  const malformed = await client.call('POST', '/oidc/login/username', {
    raw: '{',
    headers: { 'content-type': 'application/json' },
  })
  assert.deepEqual([malformed.status, malformed.json.code], [400, 'COULD_NOT_PARSE_BODY'])
  for (const type of ['text/plain', '']) {
    const other = await client.call('POST', '/oidc/login/username', { raw: 'x', headers: { 'content-type': type } })
    assert.deepEqual([other.status, other.json.code], [415, 'UNSUPPORTED_MEDIA_TYPE'])
  }
  assert.equal((await client.call('POST', '/oidc/login/username')).status, 415, 'also without a body')
  assert.equal((await post(right, { accept: 'image/png' })).status, 406)
  const noSuchMethod = await client.call('POST', '/oidc/login/none', { json: right })
  assert.deepEqual([noSuchMethod.status, noSuchMethod.text], [404, '404 page not found\n'])
  const queries = await client.call('GET', `/oidc/login/auth-queries?id=${login.id}`)
  assert.deepEqual(queries.json, { authQueries: [] })
  assert.equal((await client.call('GET', '/oidc/login/auth-queries?id=none')).json.code, 'UNAUTHORIZED')
  const complete = await post(right)
  assert.deepEqual([complete.status, complete.text], [302, ''])
  const callback = await client.call('GET', complete.headers.location?.replace('https://127.0.0.1:1280', '') ?? '')
  const target = new URL(callback.headers.location ?? '')
  assert.equal(target.origin + target.pathname, REDIRECT_URI)
  assert.equal(target.searchParams.get('state'), 'S1')
})

test('the id of a login may be in the query, and each method has its page', async (t) => {
  const app = await buildApp(t)
  const client = new OidcClient(app)
  const { username, password } = await makeUser(app)
  for (const name of ['authRequestID', 'id']) {
    const { id } = await client.begin()
    const reply = await client.call('POST', `/oidc/login/password?${name}=${id}`, { form: { username, password } })
    assert.equal(reply.status, 302)
  }
  for (const [method, page] of [
    ['password', 'username'],
    ['cert', 'cert'],
    ['ext-jwt', 'ext-jwt'],
    ['other', 'username'],
  ] as const) {
    const { location, id } = await client.begin({ method })
    assert.equal(location, `/oidc/login/${page}?authRequestID=${id}`)
    const shown = await client.call('GET', location)
    assert.equal(shown.status, 200)
    assert.equal(shown.headers['auth-request-id'], id)
    if (page !== 'username') assert.equal(shown.text, 'please POST to this URL')
  }
  const unknown = await client.call('GET', '/oidc/login/username?authRequestID=4eb5af20-dda6-4ff3-bb93-3b7de3da076e')
  assert.equal(unknown.status, 404, 'an unknown id is not echoed')
  assert.equal(unknown.headers['auth-request-id'], undefined)
})

test('a login by a token of a signer names the signer, and a refused token gets the challenge', async (t) => {
  const { app, token, createSigner, createIdentity } = await setUpProvider(t)
  const client = new OidcClient(app, 'native')
  const signerId = await createSigner()
  const identityId = await createIdentity()
  const login = await client.begin({ method: 'ext-jwt' })
  const post = (authorization?: string) =>
    client.call('POST', '/oidc/login/ext-jwt', {
      json: { id: login.id },
      headers: authorization ? { authorization } : {},
    })
  const missing = await post()
  assert.deepEqual([missing.status, missing.json.code], [401, 'UNAUTHORIZED'])
  assert.match(missing.headers['www-authenticate'] ?? '', /^Bearer realm="openziti-primary-ext-jwt" error="missing"/)
  const expired = await post(`Bearer ${token({ exp: Math.floor(app.clock.now() / 1000) - 100, iat: 1 })}`)
  assert.match(expired.headers['www-authenticate'] ?? '', /error="expired"/)
  const accepted = await post(`Bearer ${token()}`)
  assert.equal(accepted.status, 302, accepted.text)
  const tokens = await client.finish(login)
  const { amr, sub, z_authid, aud } = claimsOf(tokens.access_token)
  assert.deepEqual(
    { amr, sub, z_authid, aud },
    {
      amr: ['ext-jwt'],
      sub: identityId,
      z_authid: `extJwtId:${signerId}`,
      aud: ['native'],
    },
  )
  assert.equal((await client.get(tokens.access_token)).status, 200)
})

test('a login may begin on one node and end on another', async (t) => {
  const app = await buildApp(t, { deployment: 'workers' })
  const client = new OidcClient(app)
  // Every call of a test goes to the next worker.
  const { access_token: token } = await client.logIn()
  assert.equal((await client.get(token)).status, 200)
  assert.equal((await client.get(token)).status, 200)
})

test('a login ends after ten minutes', async (t) => {
  const app = await buildApp(t)
  const client = new OidcClient(app)
  const late = await client.begin()
  app.clock.advance(599_000)
  assert.equal((await client.logInByPassword(late, 'admin', ADMIN_PASSWORD)).status, 302)
  const tooLate = await client.begin()
  app.clock.advance(600_000)
  assert.equal((await client.logInByPassword(tooLate, 'admin', ADMIN_PASSWORD)).status, 401)
})
