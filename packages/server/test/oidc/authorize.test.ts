import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pruneOidc } from '../../src/operations/upkeep/prune-oidc.ts'
import { ADMIN_PASSWORD, buildApp } from '../http/build-app.ts'
import { type BegunLogin, encodeForm, newVerifier, OidcClient, REDIRECT_URI, settingsFile } from './oidc.fixture.ts'

/** Refused before the redirect URI is known to be the client's own: the browser is not sent there. */
const REFUSED_HERE: readonly (readonly [members: Record<string, string | undefined>, error: string])[] = [
  [{ client_id: undefined }, 'invalid_request'],
  [{ client_id: 'zac' }, 'invalid_client'],
  [{ client_id: '__proto__' }, 'invalid_client'],
  [{ redirect_uri: undefined }, 'invalid_request'],
  [{ redirect_uri: 'http://localhost/auth/callback' }, 'invalid_request'],
  [{ redirect_uri: 'http://[::1]:8080/auth/callback' }, 'invalid_request'],
  [{ redirect_uri: 'http://127.0.0.2:8080/auth/callback' }, 'invalid_request'],
  [{ redirect_uri: 'http://localhost:8080/auth/callback?a=b' }, 'invalid_request'],
  [{ redirect_uri: 'http://localhost:8080/auth/callback/more' }, 'invalid_request'],
  [{ redirect_uri: 'http://localhost:8080@evil.example/auth/callback' }, 'invalid_request'],
  [{ redirect_uri: 'http://localhost:80800/auth/callback' }, 'invalid_request'],
  [{ redirect_uri: 'http://localhost:*/auth/callback' }, 'invalid_request'],
  [{ redirect_uri: 'https://evil.example/auth/callback' }, 'invalid_request'],
  [{ state: 'x'.repeat(2049) }, 'invalid_request'],
  [{ id_token_hint: 'x' }, 'login_required'],
]

/** Refused at the redirect URI. */
const REFUSED_THERE: readonly (readonly [members: Record<string, string | undefined>, error: string])[] = [
  [{ response_type: undefined }, 'invalid_request'],
  [{ response_type: 'token' }, 'unauthorized_client'],
  [{ response_type: 'id_token' }, 'unauthorized_client'],
  [{ scope: undefined }, 'invalid_request'],
  [{ request: 'x.y.z' }, 'invalid_request'],
  [{ code_challenge: undefined }, 'invalid_request'],
  [{ code_challenge: 'short' }, 'invalid_request'],
  [{ code_challenge_method: undefined }, 'invalid_request'],
  [{ code_challenge_method: 'plain' }, 'invalid_request'],
  [{ prompt: 'none' }, 'login_required'],
]

const ACCEPTED: readonly Record<string, string | undefined>[] = [
  {},
  { client_id: 'native' },
  { redirect_uri: 'openziti://auth/callback' },
  { redirect_uri: 'http://127.0.0.1:0/auth/callback' },
  { redirect_uri: 'https://localhost:65535/auth/callback' },
  { state: undefined, nonce: undefined },
  { state: 'x'.repeat(2048) },
  { scope: 'openid unknown' },
  { prompt: 'login' },
  { response_mode: 'form_post' },
  { configTypes: 'all' },
]

test('W-74 U-15 requests of the authorization endpoint are refused by each rule, here or at the client', async (t) => {
  const app = await buildApp(t)
  const client = new OidcClient(app)
  for (const [members, error] of REFUSED_HERE) {
    const reply = await client.authorize(members)
    assert.equal(reply.status, 400, JSON.stringify(members))
    assert.equal(reply.json.error, error, JSON.stringify(members))
    assert.equal(typeof reply.json.error_description, 'string')
  }
  for (const [members, error] of REFUSED_THERE) {
    const reply = await client.authorize(members)
    assert.equal(reply.status, 302, JSON.stringify(members))
    const target = new URL(reply.headers.location ?? '')
    assert.equal(target.origin + target.pathname, REDIRECT_URI)
    assert.equal(target.searchParams.get('error'), error, JSON.stringify(members))
    assert.equal(target.searchParams.get('state'), 'S1')
  }
  for (const members of ACCEPTED) {
    const reply = await client.authorize(members)
    assert.equal(reply.status, 302, JSON.stringify(members))
    assert.match(reply.headers.location ?? '', /^\/oidc\/login\/username\?authRequestID=[0-9a-f-]{36}$/)
  }
  const parameters = client.authorizeParameters({}, newVerifier())
  for (const name of ['client_id', 'redirect_uri', 'state', 'code_challenge']) {
    const twice = `${encodeForm(parameters)}&${encodeForm({ [name]: 'x' })}`
    assert.equal((await client.call('GET', `/oidc/authorize?${twice}`)).json?.error, 'invalid_request', name)
  }
  const posted = await client.call('POST', '/oidc/authorize', { form: parameters })
  assert.equal(posted.status, 302)
  const json = await client.call('POST', '/oidc/authorize', { json: parameters })
  assert.match(json.json.error_description, /missing client_id/)
})

test('U-05 PKCE is required: a challenge of the method plain gets no code', async (t) => {
  const app = await buildApp(t)
  const client = new OidcClient(app)
  const verifier = newVerifier()
  const plain = await client.authorize({ code_challenge: verifier, code_challenge_method: 'plain' })
  assert.match(plain.headers.location ?? '', /error=invalid_request/)
  // The text of a verifier is also a valid challenge of S256: as such it does not redeem the code.
  const login = await client.begin({ code_challenge: verifier })
  assert.equal((await client.logInByPassword(login, 'admin', ADMIN_PASSWORD)).status, 302)
  const code = await client.code(login)
  const reply = await client.redeem(code, { verifier })
  assert.deepEqual(
    [reply.status, reply.json.error, reply.json.error_description],
    [400, 'invalid_grant', 'invalid code_verifier'],
  )
})

test('the redirect URIs can be configured', async (t) => {
  const config = settingsFile(t, 'oidc:\n  redirectUris: [https://app.example.com/callback]\n')
  const client = new OidcClient(await buildApp(t, { settings: { config } }))
  assert.equal((await client.authorize({ redirect_uri: 'https://app.example.com/callback' })).status, 302)
  assert.equal((await client.authorize()).status, 400, 'a given list replaces the default')
})

test('U-16 logins that clients begin are limited by address', async (t) => {
  const config = settingsFile(t, 'limits:\n  loginBurst: 3\n  loginPerSecond: 1\n')
  const app = await buildApp(t, { settings: { config }, isAlone: 'controller' })
  const client = new OidcClient(app)
  for (let count = 0; count < 3; count++) assert.equal((await client.authorize()).status, 302)
  const refused = await client.authorize()
  assert.deepEqual([refused.status, refused.json.code], [429, 'SERVER_TOO_MANY_REQUESTS'])
  app.clock.advance(1_100)
  assert.equal((await client.authorize()).status, 302)
})

test('U-16 the oldest logins beyond the limit are abandoned, unless an identity has logged in', async (t) => {
  const app = await buildApp(t)
  const client = new OidcClient(app)
  const begun: BegunLogin[] = []
  for (let count = 0; count < 4; count++) {
    begun.push(await client.begin())
    app.clock.advance(1_000)
  }
  const [continued, oldest, ...newest] = begun
  assert.ok(continued && oldest)
  assert.equal((await client.logInByPassword(continued, 'admin', ADMIN_PASSWORD)).status, 302)
  await app.store.run(pruneOidc, { maxBegunLogins: 2 }, { actorId: 'system', now: app.clock.now() })
  await client.code(continued)
  assert.equal((await client.logInByPassword(oldest, 'admin', ADMIN_PASSWORD)).status, 401)
  for (const login of newest) assert.equal((await client.logInByPassword(login, 'admin', ADMIN_PASSWORD)).status, 302)
})
