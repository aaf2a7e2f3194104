import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { getTestKeyPair, makeTestCertificate } from '@countersign/testkit'
import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose'
import { signJwt } from '../../src/platform/keys/sign-jwt.ts'
import { createBrowser } from './browser.fixture.ts'
import { buildRealApp, decode, get, post, setUpDev, startProvider } from './dev.fixture.ts'

const CALLBACK = 'https://127.0.0.1:1280/console/callback'
const LOGIN = '/edge/client/v1/authenticate?method=ext-jwt'

function pkce() {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

function authorization(base: string, challenge: string, members: Readonly<Record<string, string>> = {}): string {
  const query = new URLSearchParams({
    client_id: 'countersign',
    response_type: 'code',
    redirect_uri: CALLBACK,
    scope: 'openid profile email groups',
    state: 'some-state',
    nonce: 'some-nonce',
    code_challenge: challenge,
    code_challenge_method: 'S256',
    ...members,
  })
  return `${base}/auth?${query}`
}

async function logInAs(base: string, person: string) {
  const { verifier, challenge } = pkce()
  const browser = createBrowser()
  const page = await browser.open(authorization(base, challenge))
  assert.equal(page.status, 200, page.text)
  const back = await browser.submit(page, { person })
  const { searchParams } = new URL(back.location)
  const form = new URLSearchParams({
    grant_type: 'authorization_code',
    client_id: 'countersign',
    code: searchParams.get('code') ?? '',
    redirect_uri: CALLBACK,
    code_verifier: verifier,
  })
  return { page, back, state: searchParams.get('state'), form, response: await post(`${base}/token`, form) }
}

test('S1-5.1.3 S1-5.1.4 alice logs in by code and PKCE, and exchanges her access token for a session at the JWKS signer', async (t) => {
  const { app, provider } = await setUpDev(t)
  const { base } = provider.addresses
  const { page, back, state, form, response } = await logInAs(base, 'alice')
  assert.ok(back.location.startsWith(`${CALLBACK}?`), back.location)
  assert.equal(state, 'some-state')
  assert.deepEqual([response.status, response.json.expires_in, response.json.token_type], [200, 3600, 'Bearer'])
  assert.equal('refresh_token' in response.json, false)

  const keys = createRemoteJWKSet(new URL(`${base}/jwks`))
  const { payload: id } = await jwtVerify(response.json.id_token, keys, { issuer: base, audience: 'countersign' })
  assert.deepEqual([id.sub, id.nonce, id.email, id.name], ['alice', 'some-nonce', 'alice@example.com', 'Alice Archer'])
  const audience = 'urn:countersign:overlay'
  const { payload: access } = await jwtVerify(response.json.access_token, keys, { issuer: base, audience })
  assert.deepEqual([access.sub, access.email, access.groups], ['alice', 'alice@example.com', ['engineering']])

  const bearer = { headers: { authorization: `Bearer ${response.json.access_token}` } }
  const session = await app.call('POST', LOGIN, undefined, bearer)
  assert.deepEqual([session.status, session.json.data.identity.name], [200, 'alice'], session.text)
  const idToken = { headers: { authorization: `Bearer ${response.json.id_token}` } }
  assert.equal((await app.call('POST', LOGIN, undefined, idToken)).status, 401, 'an ID token has another audience')

  assert.equal((await post(`${base}/token`, form)).json.error, 'invalid_grant', 'a code works only once')
  const policy = page.headers.get('content-security-policy') ?? ''
  assert.match(
    policy,
    /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self' https:\/\/127\.0\.0\.1:1280; /,
  )
  assert.match(page.text, /<meta name="viewport" content="width=device-width, initial-scale=1">/)
})

test('S1-4.1.1 S1-4.1.2 S1-5.1.4 one identity logs in through both kinds of signers: by a token of the provider, and by one of a certificate’s key', async (t) => {
  const provider = await startProvider(t)
  const app = await buildRealApp(t)
  const { id } = await app.makeIdentity({ externalId: 'alice@example.com' })
  const { privateKey } = getTestKeyPair('rsa2048')
  const { pem } = makeTestCertificate({ kind: 'rsa2048', commonName: 'build server' })
  const { issuer, jwksUri } = provider.addresses.enterprise
  const byKeySet = {
    name: 'people',
    enabled: true,
    issuer,
    audience: 'urn:countersign:overlay',
    jwksEndpoint: jwksUri,
    claimsProperty: 'email',
    useExternalId: true,
  }
  const byCertificate = {
    name: 'builds',
    enabled: true,
    issuer: 'https://ci.example',
    audience: 'overlay',
    kid: 'build-key',
    certPem: pem,
  }
  const { json } = await post(`${provider.addresses.base}/dev/token`, new URLSearchParams({ person: 'alice' }))
  const exp = Math.floor(Date.now() / 1000) + 300
  const signed = (kid: string) =>
    signJwt({ key: privateKey, kid }, { iss: 'https://ci.example', aud: 'overlay', sub: id, exp })
  const logIn = (token: string) => app.call('POST', LOGIN, undefined, { headers: { authorization: `Bearer ${token}` } })
  for (const [signer, token] of [
    [byKeySet, json.access_token],
    [byCertificate, signed('build-key')],
  ] as const) {
    assert.equal((await logIn(token)).status, 401, 'the issuer is unknown yet')
    const made = await app.admin('POST', '/edge/management/v1/ext-jwt-signers', signer)
    assert.equal(made.status, 201, made.text)
    const session = await logIn(token)
    assert.deepEqual([session.status, session.json.data?.identityId], [200, id], session.text)
  }
  assert.equal((await logIn(signed('another-key'))).status, 401)
})

test('a login without PKCE, with the plain method, or to a foreign address is refused', async (t) => {
  const { addresses } = await startProvider(t)
  const { challenge } = pkce()
  const open = (members: Readonly<Record<string, string>>) =>
    createBrowser().open(authorization(addresses.base, challenge, members))
  for (const redirect_uri of [CALLBACK, 'http://localhost:20314/auth/callback', 'http://[::1]:9/x']) {
    assert.equal((await open({ redirect_uri })).status, 200, redirect_uri)
  }
  for (const redirect_uri of ['https://evil.example/', 'https://127.0.0.1.evil.example/', 'myapp://127.0.0.1/x']) {
    const refused = await open({ redirect_uri })
    assert.deepEqual([refused.status, refused.location], [400, ''], redirect_uri)
  }
  for (const members of [{ code_challenge: '' }, { code_challenge_method: 'plain' }, { response_type: 'token' }]) {
    const refused = await open(members)
    assert.match(refused.location, /[?#&]error=/, JSON.stringify(members))
  }
})

test('only the listed users can log in, and only in the browser that started the login', async (t) => {
  const { addresses } = await startProvider(t)
  const browser = createBrowser()
  const page = await browser.open(authorization(addresses.base, pkce().challenge))
  assert.equal((await browser.submit(page, { person: 'mallory' })).status, 400)
  assert.equal((await createBrowser().submit(page, { person: 'alice' })).status, 400)
  assert.match((await browser.submit(page, { person: 'alice' })).location, /[?&]code=/)
})

test('a device gets its token after a user has confirmed its code', async (t) => {
  const { addresses } = await startProvider(t)
  const { base } = addresses
  const begun = await post(
    `${base}/device/auth`,
    new URLSearchParams({ client_id: 'countersign', scope: 'openid email' }),
  )
  assert.equal(begun.status, 200, JSON.stringify(begun.json))
  const { device_code, user_code, verification_uri_complete } = begun.json
  const grant_type = 'urn:ietf:params:oauth:grant-type:device_code'
  const poll = () => post(`${base}/token`, new URLSearchParams({ grant_type, client_id: 'countersign', device_code }))
  assert.equal((await poll()).json.error, 'authorization_pending')
  const browser = createBrowser()
  const entry = await browser.open(verification_uri_complete)
  assert.ok(entry.text.includes(`value="${user_code}"`), entry.text)
  assert.match((await browser.submit(entry, { user_code: 'AAAA-AAAA' })).text, /The code is wrong or has expired/)
  const confirm = await browser.submit(await browser.open(verification_uri_complete), { user_code })
  assert.ok(confirm.text.includes(`<code>${user_code}</code>`), confirm.text)
  const login = await browser.submit(confirm, {})
  const done = await browser.submit(login, { person: 'carol' })
  assert.match(done.text, /You can close this page/)
  const { status, json } = await poll()
  assert.equal(status, 200, JSON.stringify(json))
  const { claims } = decode(json.access_token)
  assert.deepEqual([claims.sub, claims.aud, claims.email], ['carol', 'urn:countersign:overlay', 'carol@example.com'])
})

test('dave has no identity, enrolls with a token, and then logs in', async (t) => {
  const { app, provider } = await setUpDev(t)
  const { json } = await post(`${provider.addresses.base}/dev/token`, JSON.stringify({ person: 'dave' }), {
    'content-type': 'application/json',
  })
  const bearer = { headers: { authorization: `Bearer ${json.access_token}` } }
  assert.equal((await app.call('POST', LOGIN, undefined, bearer)).status, 401)
  const enrolled = await app.call('POST', '/edge/client/v1/enroll/token', {}, bearer)
  assert.equal(enrolled.status, 200, enrolled.text)
  const session = await app.call('POST', LOGIN, undefined, bearer)
  assert.deepEqual([session.status, session.json.data.identity.name], [200, 'dave'], session.text)
})

test('the short cut for scripts is closed to pages and unknown users', async (t) => {
  const { addresses } = await startProvider(t)
  const poll = (form: Record<string, string>, headers = {}) =>
    post(`${addresses.base}/dev/token`, new URLSearchParams(form), headers)
  assert.equal((await poll({ person: 'alice' })).status, 200)
  assert.equal((await poll({ person: 'alice' }, { origin: addresses.base })).status, 403)
  assert.equal((await poll({ person: 'mallory' })).status, 400)
  const bound = (await poll({ person: 'alice', dpop_jkt: 'a'.repeat(43) })).json
  assert.deepEqual([bound.token_type, decodeJwt(bound.access_token).cnf], ['DPoP', { jkt: 'a'.repeat(43) }])
  assert.equal((await poll({ person: 'alice', dpop_jkt: 'a' })).status, 400)
  assert.equal((await get(`${addresses.base}/dev/token`)).status, 404)
})
