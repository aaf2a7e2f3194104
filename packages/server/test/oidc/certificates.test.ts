import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { makeTestCsr } from '@countersign/testkit'
import { createPolicy } from '../http/auth-policies.fixture.ts'
import { type AppOptions, buildApp } from '../http/build-app.ts'
import { CAS, CLAIM, issueLeaf, makeCa } from '../http/cas.fixture.ts'
import { type ClientKeys, makeHolder, overTls, pemOfKey } from '../http/client-certificates.fixture.ts'
import { createIdentity } from '../http/identities.fixture.ts'
import { makeUser } from '../http/one-time-codes.fixture.ts'
import { claimsOf, encodeForm, HOST, newVerifier, OidcClient, REDIRECT_URI } from './oidc.fixture.ts'

const SELF = '/edge/client/v1/current-identity'
const FORM = { 'content-type': 'application/x-www-form-urlencoded', host: HOST }

/** A controller with a listener, and a client whose steps each choose the certificate of their connection. */
async function setUp(t: TestContext, options: AppOptions = {}) {
  const app = await buildApp(t, { isAlone: 'controller', ...options })
  const tls = await overTls(app)
  const client = new OidcClient(app)
  const post = (path: string, form: Record<string, string | undefined>, keys: Partial<ClientKeys> = {}, headers = {}) =>
    tls('POST', path, { ...keys, headers: { ...FORM, ...headers }, rawBody: encodeForm(form) })
  const call = (token: string, keys: Partial<ClientKeys> = {}) =>
    tls('GET', SELF, { ...keys, headers: { authorization: `Bearer ${token}` } })
  const token = (form: Record<string, string | undefined>, keys: Partial<ClientKeys> = {}) =>
    post('/oidc/oauth/token', { client_id: 'openziti', ...form }, keys)
  const logIn = async (keys: Partial<ClientKeys>, members: Record<string, string> = {}, path = 'cert') => {
    const login = await client.begin()
    const reply = await post(`/oidc/login/${path}`, { id: login.id, ...members }, keys)
    return { login, reply }
  }
  return { app, tls, client, post, call, token, logIn }
}

const fingerprintOf = (pem: string): string => new X509Certificate(pem).fingerprint.replaceAll(':', '').toLowerCase()

test('U-13 a login by certificate binds every token to the certificate', async (t) => {
  const { app, client, call, token, logIn } = await setUp(t)
  const holder = await makeHolder(app)
  const other = await makeHolder(app)
  assert.equal((await logIn({})).reply.json.code, 'INVALID_AUTH', 'without a certificate')
  const { login, reply } = await logIn(holder)
  assert.equal(reply.status, 302, reply.text)
  const tokens = await client.finish(login)
  const { amr, z_cfs, z_acf, z_ice, sub } = claimsOf(tokens.access_token)
  assert.deepEqual(
    { amr, z_cfs, z_acf, z_ice, sub },
    { amr: ['cert'], z_cfs: [holder.fingerprint], z_acf: holder.fingerprint, z_ice: true, sub: holder.id },
  )
  assert.equal((await call(tokens.access_token, holder)).status, 200)
  for (const keys of [{}, other]) {
    const refused = await call(tokens.access_token, keys)
    assert.equal(refused.status, 401)
    assert.match(String(refused.headers['www-authenticate']), /realm="openziti-oidc" error="invalid"/)
    const refresh = await token({ grant_type: 'refresh_token', refresh_token: tokens.refresh_token }, keys)
    assert.deepEqual(refresh.json, {
      error: 'access_denied',
      error_description: 'peer certificate fingerprint does not match token',
    })
  }
  const refreshed = await token({ grant_type: 'refresh_token', refresh_token: tokens.refresh_token }, holder)
  assert.equal(refreshed.status, 200)
  assert.deepEqual(claimsOf(refreshed.json.access_token).z_cfs, [holder.fingerprint])
})

test('U-13 a certificate of a third-party CA binds too, and what ends the trust in the CA ends the session', async (t) => {
  const { app, client, call, token, logIn } = await setUp(t)
  const { id, authority } = await makeCa(app, { externalIdClaim: CLAIM })
  await createIdentity(app, { externalId: 'alice' })
  const alice = issueLeaf(authority, { commonName: 'alice' })
  const { login, reply } = await logIn(alice)
  assert.equal(reply.status, 302, reply.text)
  const tokens = await client.finish(login)
  const fingerprint = fingerprintOf(alice.cert)
  const { z_cfs: bound, z_acf: presented } = claimsOf(tokens.access_token)
  assert.deepEqual([bound, presented], [[fingerprint], fingerprint])
  assert.equal((await call(tokens.access_token, alice)).status, 200)
  const other = issueLeaf(authority, { commonName: 'alice' })
  for (const keys of [{}, other]) assert.equal((await call(tokens.access_token, keys)).status, 401)
  await app.admin('PATCH', `${CAS}/${id}`, { isAuthEnabled: false })
  assert.equal((await call(tokens.access_token, alice)).status, 401)
  const refresh = await token({ grant_type: 'refresh_token', refresh_token: tokens.refresh_token }, alice)
  assert.equal(refresh.json.error, 'invalid_grant')
})

test('U-13 the session ends with the certificate that logged in, unless the policy accepts expired ones', async (t) => {
  const { app, client, call, token, logIn } = await setUp(t)
  const { authority } = await makeCa(app, { externalIdClaim: CLAIM })
  const policyId = await createPolicy(app, { cert: { allowExpiredCerts: true } })
  await createIdentity(app, { externalId: 'alice' })
  await createIdentity(app, { externalId: 'bob', authPolicyId: policyId })
  const start = app.clock.now()
  const dates = { notBefore: new Date(start - 86_400_000), notAfter: new Date(start + 3_600_000) }
  const open = async (commonName: string, validity: object) => {
    const keys = issueLeaf(authority, { commonName, ...validity })
    const { login, reply } = await logIn(keys)
    assert.equal(reply.status, 302, reply.text)
    return { keys, tokens: await client.finish(login) }
  }
  type Opened = Awaited<ReturnType<typeof open>>
  const ending = await open('alice', dates)
  const lasting = [await open('alice', {}), await open('bob', dates)]
  const { exp } = claimsOf(ending.tokens.refresh_token)
  assert.ok(Number(exp) * 1000 <= dates.notAfter.getTime(), 'so do the tokens')
  const refresh = ({ keys, tokens }: Opened) =>
    token({ grant_type: 'refresh_token', refresh_token: tokens.refresh_token }, keys)
  app.clock.advance(3_500_000)
  const last = await refresh(ending)
  assert.equal(last.status, 200, last.text)
  assert.equal((await call(last.json.access_token, ending.keys)).status, 200)
  app.clock.advance(101_000)
  assert.equal((await call(last.json.access_token, ending.keys)).status, 401)
  assert.equal((await refresh({ ...ending, tokens: last.json })).status, 400)
  for (const one of lasting) assert.equal((await refresh(one)).status, 200)
})

test('the session is bound to the certificate that logged in, not to the one that authorize saw', async (t) => {
  const { app, tls, client, post } = await setUp(t)
  const shown = await makeHolder(app)
  const used = await makeHolder(app)
  const verifier = newVerifier()
  const path = `/oidc/authorize?${encodeForm(client.authorizeParameters({}, verifier))}`
  const begun = await tls('GET', path, { ...shown, headers: { host: HOST } })
  const location = String(begun.headers.location)
  assert.match(location, /^\/oidc\/login\/cert\?/, 'a client with a certificate is sent to its page')
  const id = new URL(location, REDIRECT_URI).searchParams.get('authRequestID') ?? ''
  assert.equal((await post('/oidc/login/cert', { id }, used)).status, 302)
  const { access_token: token } = await client.finish({ id, verifier, location })
  assert.deepEqual([claimsOf(token).z_cfs, claimsOf(token).sub], [[used.fingerprint], used.id])
})

test('a certificate that is merely present does not bind', async (t) => {
  const { app, client, call, logIn } = await setUp(t)
  const holder = await makeHolder(app)
  const user = await makeUser(app)
  const { login, reply } = await logIn(holder, { username: user.username, password: user.password }, 'password')
  assert.equal(reply.status, 302)
  const { access_token: token } = await client.finish(login)
  assert.equal(claimsOf(token).z_cfs, null)
  assert.equal((await call(token)).status, 200)
  assert.equal((await call(token, holder)).status, 200)
})

test('a CSR gives a session its own certificate, which later ones replace', async (t) => {
  const { app, client, call, token, logIn } = await setUp(t)
  const user = await makeUser(app)
  const credentials = { username: user.username, password: user.password }
  const bad = await logIn({}, { ...credentials, csrPem: 'garbage' }, 'password')
  assert.deepEqual([bad.reply.status, bad.reply.json.code], [400, 'COULD_NOT_PROCESS_CSR'], 'before the login')
  const csr = makeTestCsr()
  const { login, reply } = await logIn({}, { ...credentials, csrPem: csr.pem }, 'password')
  assert.equal(reply.status, 302, reply.text)
  const tokens = await client.finish(login)
  const chain = (tokens.session_cert ?? '').match(/-----BEGIN/g) ?? []
  assert.equal(chain.length, 2, 'leaf and intermediate')
  const leaf = new X509Certificate(tokens.session_cert ?? '')
  const { z_asid: session, z_cfs: bound } = claimsOf(tokens.access_token)
  assert.ok(leaf.subject.includes(user.id))
  assert.match(
    leaf.subjectAltName ?? '',
    new RegExp(`identity/${user.id}/apiSession/${session}/apiSessionCertificate/`),
  )
  assert.deepEqual(bound, [fingerprintOf(tokens.session_cert ?? '')])
  const keys = { cert: tokens.session_cert ?? '', key: pemOfKey(csr) }
  assert.equal((await call(tokens.access_token)).status, 401)
  assert.equal((await call(tokens.access_token, keys)).status, 200)
  const next = makeTestCsr()
  const form = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token, csr_pem: next.pem }
  const refreshed = await token(form, keys)
  assert.equal(refreshed.status, 200, refreshed.text)
  const nextKeys = { cert: refreshed.json.session_cert, key: pemOfKey(next) }
  for (const good of [keys, nextKeys]) assert.equal((await call(refreshed.json.access_token, good)).status, 200)
  const exchanged = makeTestCsr()
  const exchange = {
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    subject_token: refreshed.json.refresh_token,
    subject_token_type: 'urn:ietf:params:oauth:token-type:refresh_token',
    requested_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    csr_pem: exchanged.pem,
  }
  const copy = await token(exchange, nextKeys)
  assert.equal(copy.status, 200, copy.text)
  const exchangedKeys = { cert: copy.json.session_cert, key: pemOfKey(exchanged) }
  assert.deepEqual(claimsOf(copy.json.access_token).z_cfs, [fingerprintOf(exchangedKeys.cert)])
  assert.equal((await call(copy.json.access_token, exchangedKeys)).status, 200)
  assert.equal((await call(copy.json.access_token)).status, 401)
  const wrong = await token({ ...form, refresh_token: refreshed.json.refresh_token, csr_pem: 'garbage' }, nextKeys)
  assert.equal(wrong.json.error, 'invalid_request')
  assert.match(wrong.json.error_description, /^invalid CSR: /)
})

test('U-13 a deleted certificate of the session no longer meets the binding, and that of the login does', async (t) => {
  const { app, tls, client, call, token, logIn } = await setUp(t)
  const user = await makeUser(app)
  const holder = await makeHolder(app)
  const cases = [
    { path: 'password', keys: {}, members: { username: user.username, password: user.password } },
    { path: 'cert', keys: holder, members: {} },
  ]
  for (const { path, keys: loginKeys, members } of cases) {
    const csr = makeTestCsr()
    const { login, reply } = await logIn(loginKeys, { ...members, csrPem: csr.pem }, path)
    assert.equal(reply.status, 302, reply.text)
    const tokens = await client.finish(login)
    const keys = { cert: tokens.session_cert ?? '', key: pemOfKey(csr) }
    const headers = { authorization: `Bearer ${tokens.access_token}` }
    const certificates = '/edge/client/v1/current-api-session/certificates'
    const [{ id }] = (await tls('GET', certificates, { ...keys, headers })).json.data
    assert.equal((await call(tokens.access_token, keys)).status, 200, path)
    assert.equal((await tls('DELETE', `${certificates}/${id}`, { ...keys, headers })).status, 200, path)
    assert.equal((await call(tokens.access_token, keys)).status, 401, path)
    const form = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token }
    assert.equal((await token(form, keys)).json.error, 'access_denied', path)
    if (path === 'password') continue
    assert.equal((await call(tokens.access_token, loginKeys)).status, 200)
    assert.equal((await token(form, loginKeys)).status, 200)
  }
})

test('a CSR is ignored when a session that is not bound is refreshed', async (t) => {
  const { app, client, token } = await setUp(t)
  const user = await makeUser(app)
  const tokens = await client.logIn(user.username, user.password)
  const form = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token, csr_pem: makeTestCsr().pem }
  const refreshed = await token(form)
  assert.equal(refreshed.status, 200)
  assert.equal(refreshed.json.session_cert, undefined)
  assert.equal(claimsOf(refreshed.json.access_token).z_cfs, null)
})

test('U-11 a page of another site can not log a browser in with its certificate', async (t) => {
  const { app, client, post } = await setUp(t)
  const holder = await makeHolder(app)
  const { id } = await client.begin()
  const from = (headers: Record<string, string>) => post('/oidc/login/cert', { id }, holder, headers)
  const foreign = await from({ origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' })
  assert.deepEqual([foreign.status, foreign.json.code], [403, 'FORBIDDEN'])
  assert.equal((await from({ origin: `https://${HOST}`, 'sec-fetch-site': 'same-origin' })).status, 302)
})

test('certificates of a session with access tokens are issued as for other sessions', async (t) => {
  const { app, client } = await setUp(t)
  const user = await makeUser(app)
  const { access_token: token } = await client.logIn(user.username, user.password)
  const path = '/edge/client/v1/current-api-session/certificates'
  const headers = { authorization: `Bearer ${token}` }
  const reply = await client.call('POST', path, { json: { csr: makeTestCsr().pem }, headers })
  assert.equal(reply.status, 201, reply.text)
  assert.equal((await client.get(token)).status, 200, 'the token stays unbound')
  assert.equal((await client.call('GET', path, { headers })).json.data.length, 1)
})
