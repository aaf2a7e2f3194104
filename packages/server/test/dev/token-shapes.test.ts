import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import { basic, decode, get, HOSTED_AUDIENCE_URL, post, REQUESTS, requestToken, setUpDev } from './dev.fixture.ts'

const GATEWAY_SCOPE = 'https://gateway.production.netfoundry.io//ignore-scope'
const GRANT = { grant_type: 'client_credentials' }
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

test('S2-4.3 S2-4.5 S2-5.5 the user pool accepts HTTP Basic and a form, with any scope or none, and issues tokens without aud', async (t) => {
  const { readCredentials, provider } = await setUpDev(t)
  const file = readCredentials('cognito')
  const { userPool } = provider.addresses
  assert.equal(file.authenticationUrl, userPool.tokenUrl)
  const withScope = await post(
    file.authenticationUrl,
    `scope=${encodeURIComponent(GATEWAY_SCOPE)}&grant_type=client_credentials`,
    { ...basic(file), accept: '*/*', 'content-type': 'application/x-www-form-urlencoded' },
  )
  assert.equal(withScope.status, 200)
  assert.deepEqual(Object.keys(withScope.json).sort(), ['access_token', 'expires_in', 'token_type'])
  assert.deepEqual([withScope.json.expires_in, withScope.json.token_type], [3600, 'Bearer'])
  assert.equal(withScope.headers.get('cache-control'), 'no-store')
  const { header, claims } = decode(withScope.json.access_token)
  assert.equal(header.alg, 'RS256')
  const { jti, iat, exp, auth_time, ...others } = claims
  assert.deepEqual(others, {
    sub: file.clientId,
    client_id: file.clientId,
    token_use: 'access',
    scope: GATEWAY_SCOPE,
    iss: userPool.issuer,
    version: 2,
  })
  assert.match(String(jti), UUID)
  assert.equal(Number(exp) - Number(iat), 3600)
  assert.equal(auth_time, iat)
  await jwtVerify(withScope.json.access_token, createRemoteJWKSet(new URL(`${userPool.issuer}/.well-known/jwks.json`)))

  for (const form of [GRANT, { ...GRANT, scope: '' }]) {
    const without = await post(file.authenticationUrl, new URLSearchParams(form), basic(file))
    assert.equal(without.status, 200)
    assert.equal('scope' in decode(without.json.access_token).claims, false)
  }
})

test('S2-4.4 S2-4.5 S2-5.5 the hosted platform accepts JSON at /oauth/token with an audience, and puts it into the token', async (t) => {
  const { readCredentials, provider } = await setUpDev(t)
  const file = readCredentials('auth0')
  const { hostedPlatform } = provider.addresses
  assert.equal(new URL(file.authenticationUrl).pathname, '/oauth/token')
  const response = await REQUESTS.auth0(file)
  assert.equal(response.status, 200)
  assert.deepEqual(Object.keys(response.json).sort(), ['access_token', 'expires_in', 'token_type'])
  assert.equal(response.json.expires_in, 3600)
  const { claims } = decode(response.json.access_token)
  const { iat, exp, ...others } = claims
  assert.deepEqual(others, {
    iss: hostedPlatform.issuer,
    sub: `${file.clientId}@clients`,
    aud: HOSTED_AUDIENCE_URL,
    azp: file.clientId,
    gty: 'client-credentials',
  })
  assert.ok(hostedPlatform.issuer.endsWith('/'), 'the final slash is part of the issuer')
  assert.equal(Number(exp) - Number(iat), 3600)
  const keys = createRemoteJWKSet(new URL(`${hostedPlatform.issuer}.well-known/jwks.json`))
  await jwtVerify(response.json.access_token, keys, { audience: HOSTED_AUDIENCE_URL })

  const form = { client_id: file.clientId, client_secret: file.password, audience: HOSTED_AUDIENCE_URL, ...GRANT }
  assert.equal((await post(file.authenticationUrl, new URLSearchParams(form))).status, 200, 'a form works too')
})

test('S2-4.4 {auth_url}/oauth/token works with the base address, the issuer and the authenticationUrl of the file', async (t) => {
  const { readCredentials, provider } = await setUpDev(t)
  const file = readCredentials('auth0')
  const { base, hostedPlatform } = provider.addresses
  const body = { client_id: file.clientId, client_secret: file.password, audience: HOSTED_AUDIENCE_URL, ...GRANT }
  const json = { 'content-type': 'application/json' }
  for (const authUrl of [base, hostedPlatform.issuer.slice(0, -1), file.authenticationUrl]) {
    const response = await post(`${authUrl}/oauth/token`, JSON.stringify(body), json)
    assert.equal(response.status, 200, authUrl)
    assert.equal(decode(response.json.access_token).claims.iss, hostedPlatform.issuer)
  }
  const elsewhere = await post(`${file.authenticationUrl}/other/oauth/token`, JSON.stringify(body), json)
  assert.notEqual(elsewhere.status, 200)
})

test('S2-5.8 S2-5.5 the enterprise provider is found by discovery and accepts Basic or the body; the token is for the hosted API', async (t) => {
  const { readCredentials, provider } = await setUpDev(t)
  const file = readCredentials('oidc')
  const { enterprise } = provider.addresses
  const { json: metadata } = await get(`${enterprise.issuer}/.well-known/openid-configuration`)
  assert.equal(metadata.issuer, enterprise.issuer)
  assert.equal(metadata.token_endpoint, file.authenticationUrl)
  assert.equal(metadata.jwks_uri, enterprise.jwksUri)
  const { backchannel_logout_supported: logsOut, backchannel_logout_session_supported: bySession } = metadata
  assert.deepEqual([logsOut, bySession, metadata.claim_types_supported], [true, false, ['normal']])
  const inBody = { client_id: file.clientId, client_secret: file.password, ...GRANT }
  for (const [form, headers] of [
    [GRANT, basic(file)],
    [inBody, {}],
  ] as const) {
    const { status, json } = await post(metadata.token_endpoint, new URLSearchParams(form), headers)
    assert.deepEqual([status, json.expires_in, json.token_type], [200, 3600, 'Bearer'])
    const { header, claims } = decode(json.access_token)
    assert.equal(header.typ, 'at+jwt')
    assert.equal(claims.aud, 'urn:countersign:hosted-api')
    assert.deepEqual([claims.sub, claims.client_id, claims.azp], [file.clientId, file.clientId, file.clientId])
    await jwtVerify(json.access_token, createRemoteJWKSet(new URL(metadata.jwks_uri)), { issuer: enterprise.issuer })
  }
})

test('S2-5.5 a wrong password gets the error of each kind, and the right one does not', async (t) => {
  const { readCredentials } = await setUpDev(t)
  const expected = {
    cognito: [400, 'invalid_client'],
    auth0: [401, 'access_denied'],
    oidc: [401, 'invalid_client'],
  } as const
  for (const kind of ['cognito', 'auth0', 'oidc'] as const) {
    const file = readCredentials(kind)
    for (const wrong of [
      { ...file, password: `${file.password}x` },
      { ...file, clientId: 'unknown' },
    ]) {
      const { status, json } = await REQUESTS[kind](wrong)
      assert.deepEqual([status, json.error], expected[kind], kind)
      assert.equal(JSON.stringify(json).includes(file.password), false)
    }
    assert.equal((await REQUESTS[kind](file)).status, 200)
  }
})

test('S2-4.3 S2-4.4 D49 a request in the form of another kind is refused', async (t) => {
  const { readCredentials } = await setUpDev(t)
  const pool = readCredentials('cognito')
  const inBody = { client_id: pool.clientId, client_secret: pool.password, ...GRANT }
  const asJson = await post(pool.authenticationUrl, JSON.stringify(inBody), { 'content-type': 'application/json' })
  assert.deepEqual([asJson.status, asJson.json], [400, { error: 'invalid_request' }])
  const withoutBasic = await post(pool.authenticationUrl, new URLSearchParams(inBody))
  assert.deepEqual([withoutBasic.status, withoutBasic.json], [400, { error: 'invalid_client' }])
  const otherGrant = await post(pool.authenticationUrl, new URLSearchParams({ grant_type: 'password' }), basic(pool))
  assert.deepEqual([otherGrant.status, otherGrant.json], [400, { error: 'unsupported_grant_type' }])
  const twice = await post(pool.authenticationUrl, 'grant_type=client_credentials&grant_type=client_credentials', {
    ...basic(pool),
    'content-type': 'application/x-www-form-urlencoded',
  })
  assert.deepEqual([twice.status, twice.json], [400, { error: 'invalid_request' }])

  const platform = readCredentials('auth0')
  const form = { client_id: platform.clientId, client_secret: platform.password, ...GRANT }
  for (const audience of [undefined, 'https://elsewhere.example/', HOSTED_AUDIENCE_URL.slice(0, -1)]) {
    const body = JSON.stringify({ ...form, audience })
    const response = await post(platform.authenticationUrl, body, { 'content-type': 'application/json' })
    assert.deepEqual([response.status, response.json.error], [403, 'access_denied'], String(audience))
  }
})

test('D42 P-11 a client of one issuer with a token of another is unknown there', async (t) => {
  const { app, readCredentials, provider } = await setUpDev(t)
  const pool = readCredentials('cognito')
  const self = (token: string) =>
    app.call('GET', '/identity/v1/identities/self', undefined, { headers: { authorization: `Bearer ${token}` } })
  assert.equal((await self(await requestToken('cognito', pool))).status, 200)
  const elsewhere = await requestToken('auth0', {
    ...pool,
    authenticationUrl: provider.addresses.hostedPlatform.tokenUrl,
  })
  assert.equal((await self(elsewhere)).status, 401)
})
