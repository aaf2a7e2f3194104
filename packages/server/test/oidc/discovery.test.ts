import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildApp } from '../http/build-app.ts'
import { claimsOf, HOST, ISSUER, OidcClient, settingsFile } from './oidc.fixture.ts'

const CONFIGURATION = '/oidc/.well-known/openid-configuration'

test('W-73 the provider is announced in the version, the capabilities and the list of controllers', async (t) => {
  const app = await buildApp(t)
  for (const base of ['', '/edge/client/v1', '/edge/management/v1']) {
    const { data } = (await app.call('GET', `${base}/version`)).json
    assert.deepEqual(data.capabilities, ['OIDC_AUTH', 'OIDC_AUTH_WITH_CSR'])
    assert.deepEqual(data.apiVersions['edge-oidc'].v1, { path: '/oidc', apiBaseUrls: [ISSUER] })
  }
  for (const api of ['client', 'management']) {
    assert.deepEqual((await app.call('GET', `/edge/${api}/v1/enumerated-capabilities`)).json.data, [
      'OIDC_AUTH',
      'OIDC_AUTH_WITH_CSR',
    ])
    const { data } = (await app.admin('GET', `/edge/${api}/v1/controllers`)).json
    assert.deepEqual(data[0].apiAddresses['edge-oidc'], [{ url: ISSUER, version: 'v1' }])
  }
  for (const path of ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server']) {
    assert.equal((await app.call('GET', path)).status, 404, 'nothing at the root')
  }
})

test('discovery lists only what works, for the address of the request', async (t) => {
  const app = await buildApp(t)
  const client = new OidcClient(app)
  for (const method of ['GET', 'POST']) {
    const { json, status } = await client.call(method, CONFIGURATION)
    assert.equal(status, 200)
    assert.equal(json.issuer, ISSUER)
    assert.equal(json.authorization_endpoint, `${ISSUER}/authorize`)
    assert.equal(json.token_endpoint, `${ISSUER}/oauth/token`)
    assert.equal(json.openziti_endpoints.totp_enroll_verify, `${ISSUER}/login/totp/enroll/verify`)
    assert.deepEqual(json.response_types_supported, ['code'])
    assert.deepEqual(json.code_challenge_methods_supported, ['S256'])
    assert.deepEqual(json.id_token_signing_alg_values_supported, ['ES256'])
    for (const absent of ['introspection_endpoint', 'device_authorization_endpoint'])
      assert.equal(absent in json, false)
  }
  const { keys } = (await client.call('GET', '/oidc/keys')).json
  assert.deepEqual(Object.keys(keys[0]).toSorted(), ['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y'])
  for (const host of ['other.example:1280', '127.0.0.1:1281', '127.0.0.1', 'x/../127.0.0.1:1280', '']) {
    const reply = await client.call('GET', CONFIGURATION, { headers: { host } })
    assert.equal(reply.status, 404, host)
    assert.equal(reply.text, '404 page not found\n')
  }
  assert.equal((await client.call('GET', '/oidc/healthz')).json.status, 'ok')
  assert.equal((await client.call('GET', '/oidc/logged-out')).text, 'signed out successfully')
})

test('each advertised address has its own issuer, in lower case, and tokens of one are good at the other', async (t) => {
  const app = await buildApp(t, { addresses: [HOST, 'localhost:1280', 'ctrl.example.test:443'] })
  const client = new OidcClient(app)
  const upper = await client.call('GET', CONFIGURATION, { headers: { host: 'LOCALHOST:1280' } })
  assert.equal(upper.json.issuer, 'https://localhost:1280/oidc')
  for (const host of ['ctrl.example.test', 'ctrl.example.test:443']) {
    const reply = await client.call('GET', CONFIGURATION, { headers: { host } })
    assert.equal(reply.json.issuer, 'https://ctrl.example.test/oidc', 'the usual port is left out')
  }
  const tokens = await client.logIn()
  const refreshed = await client.refresh(tokens.refresh_token, {}, { headers: { host: 'localhost:1280' } })
  assert.equal(refreshed.status, 200, refreshed.text)
  assert.equal(claimsOf(refreshed.json.access_token).iss, 'https://localhost:1280/oidc')
  assert.equal((await client.get(refreshed.json.access_token)).status, 200)
})

test('U-06 no origin is reflected with credentials, and scripts can read what they need', async (t) => {
  const app = await buildApp(t)
  const client = new OidcClient(app)
  for (const path of [CONFIGURATION, '/oidc/keys', '/oidc/oauth/token']) {
    const reply = await client.call('GET', path, { headers: { origin: 'https://evil.example' } })
    assert.equal(reply.headers['access-control-allow-origin'], '*')
    assert.equal(reply.headers['access-control-allow-credentials'], undefined)
    const exposed = reply.headers['access-control-expose-headers'] ?? ''
    for (const name of ['auth-request-id', 'totp-required', 'www-authenticate', 'location']) {
      assert.ok(exposed.split(', ').includes(name), name)
    }
  }
})

test('U-06 a preflight names no origin with credentials', async (t) => {
  const client = new OidcClient(await buildApp(t))
  for (const path of [CONFIGURATION, '/oidc/oauth/token', '/oidc/login/password']) {
    const headers = { origin: 'https://evil.example', 'access-control-request-method': 'POST' }
    const reply = await client.call('OPTIONS', path, { headers })
    assert.equal(reply.status, 200, path)
    assert.equal(reply.headers['access-control-allow-origin'], '*')
    assert.equal(reply.headers['access-control-allow-credentials'], undefined)
  }
})

test('the provider says that it is ready', async (t) => {
  const client = new OidcClient(await buildApp(t))
  for (const path of ['/oidc/healthz', '/oidc/ready']) {
    const reply = await client.call('GET', path)
    assert.deepEqual([reply.status, reply.json], [200, { status: 'ok' }], path)
  }
})

test('a setting turns the provider off: nothing is announced, served or accepted', async (t) => {
  const on = await buildApp(t)
  const { access_token: token } = await new OidcClient(on).logIn()
  assert.equal((await new OidcClient(on).get(token)).status, 200)
  const app = await buildApp(t, { settings: { config: settingsFile(t, 'oidc:\n  enabled: false\n') } })
  const { data } = (await app.call('GET', '/version')).json
  assert.deepEqual(data.capabilities, [])
  assert.equal('edge-oidc' in data.apiVersions, false)
  const { data: controllers } = (await app.admin('GET', '/edge/client/v1/controllers')).json
  assert.equal('edge-oidc' in controllers[0].apiAddresses, false)
  for (const path of [CONFIGURATION, '/oidc/keys', '/oidc/authorize', '/oidc/oauth/token', '/oidc/login/password']) {
    for (const method of ['GET', 'POST']) {
      assert.equal((await app.call(method, path, undefined, { headers: { host: HOST } })).status, 404, path)
    }
  }
  assert.equal((await new OidcClient(app).get(token)).status, 401)
})
