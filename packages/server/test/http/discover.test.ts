import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { startJwksServer } from '@countersign/testkit'
import { buildApp, type TestApp } from './build-app.ts'

const SIGNERS = '/edge/management/v1/ext-jwt-signers'

async function setUp(t: TestContext) {
  const server = await startJwksServer()
  t.after(() => server.close())
  const app = await buildApp(t)
  return { app, server, issuer: `http://127.0.0.1:${server.port}` }
}

const discover = (app: TestApp, issuer: string) => app.admin('POST', `${SIGNERS}/discover`, { issuer })

async function assertRefused(app: TestApp, issuer: string, words: RegExp): Promise<void> {
  const { status, json, text } = await discover(app, issuer)
  assert.deepEqual([status, json.error.code], [400, 'INVALID_FIELD'], text)
  assert.match(json.error.cause.message, words)
}

test('D18 discover returns the signer fields that the issuer’s document implies', async (t) => {
  const { app, server, issuer } = await setUp(t)
  server.respondWith({ body: { issuer, jwks_uri: `${issuer}/keys`, scopes_supported: ['openid', 'email', 'x'] } })
  for (const name of ['ext-jwt-signers', 'external-jwt-signers']) {
    const reply = await app.admin('POST', `/edge/management/v1/${name}/discover`, { issuer })
    assert.equal(reply.status, 200, reply.text)
    const openIdConfigurationUrl = `${issuer}/.well-known/openid-configuration`
    const data = { issuer, jwksEndpoint: `${issuer}/keys`, openIdConfigurationUrl, scopes: ['openid', 'email'] }
    assert.deepEqual(reply.json, { data, meta: {} })
  }
  assert.equal(server.requests[0]?.path, '/.well-known/openid-configuration')
  const { json } = await discover(app, issuer)
  const saved = await app.admin('POST', SIGNERS, { ...json.data, name: 'idp', audience: 'overlay', enabled: false })
  assert.equal(saved.status, 201, saved.text)
})

test('D18 a document that names another issuer is refused', async (t) => {
  const { app, server, issuer } = await setUp(t)
  const document = (named: string) => ({ body: { issuer: named, jwks_uri: `${issuer}/keys` } })
  server.respondWith(document('https://other.example'))
  await assertRefused(app, issuer, /belongs to the issuer "https:\/\/other.example", not to/)
  server.respondWith(document(`${issuer}/`))
  await assertRefused(app, issuer, /exactly as in the document/)
  server.respondWith(document(issuer))
  assert.equal((await discover(app, issuer)).status, 200)
})

test('D18 discover fetches under the rules for keys, and a refusal names the setting', async (t) => {
  const { app, server, issuer } = await setUp(t)
  await assertRefused(app, 'http://idp.example', /for 'issuer' is invalid: only https .* jwks\.allowHttp/)
  await assertRefused(app, 'https://10.0.0.1', /jwks\.allowedNetworks/)
  await assertRefused(app, 'https://idp.example:22', /jwks\.allowedPorts/)
  await assertRefused(app, 'https://169.254.169.254', /169\.254\.169\.254/)
  await assertRefused(app, 'no address', /not an absolute URL/)
  await assertRefused(app, `${issuer}/.well-known/openid-configuration`, /enter the issuer without/)
  assert.equal(server.connections, 0)
  server.respondWith({ body: { issuer, jwks_uri: 'https://10.0.0.1/keys' } })
  await assertRefused(app, issuer, /jwks\.allowedNetworks/)
  server.respondWith({ body: { issuer, jwks_uri: 'http://idp.example/keys' } })
  await assertRefused(app, issuer, /"jwks_uri" of the document is not an https URL/)
  server.respondWith({ body: { issuer, jwks_uri: 'https://idp.example/keys' } })
  assert.equal((await discover(app, issuer)).status, 200)
})

test('D18 discover refuses a host that the settings deny', async (t) => {
  const server = await startJwksServer()
  t.after(() => server.close())
  const issuer = `http://127.0.0.1:${server.port}`
  server.respondWith({ body: { issuer, jwks_uri: `${issuer}/keys` } })
  const dir = mkdtempSync(join(tmpdir(), 'countersign-discover-'))
  t.after(() => rmSync(dir, { recursive: true, force: true }))
  const config = join(dir, 'settings.yaml')
  writeFileSync(config, JSON.stringify({ jwks: { deniedHosts: ['127.0.0.1'] } }))
  await assertRefused(await buildApp(t, { settings: { config } }), issuer, /jwks\.deniedHosts/)
  assert.equal(server.connections, 0)
  assert.equal((await discover(await buildApp(t), issuer)).status, 200)
})

test('D18 a provider failure is reported in words that do not tell closed ports from silent ones', async (t) => {
  const { app, server, issuer } = await setUp(t)
  server.respondWith({ status: 503, body: 'secret of the provider' })
  await assertRefused(app, issuer, /503/)
  assert.ok(!(await discover(app, issuer)).text.includes('secret of the provider'))
  server.respondWith({ body: 'no JSON', headers: { 'content-type': 'application/json' } })
  await assertRefused(app, issuer, /not valid JSON/)
  server.respondWith({ body: { issuer, jwks_uri: `${issuer}/keys` } })
  assert.equal((await discover(app, issuer)).status, 200)
  await server.close()
  const { json } = await discover(app, issuer)
  assert.equal(json.error.code, 'INVALID_FIELD')
  assert.ok(!/ECONNREFUSED|refused the connection|closed/i.test(json.error.cause.message), json.error.cause.message)
})
