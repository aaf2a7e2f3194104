import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startJwksServer } from '@countersign/testkit'
import { watchReads } from '../store/mock-reads.ts'
import { setUpHosted } from './hosted.fixture.ts'

const PROVIDERS = '/identity/v1/identity-providers'

test('D39 D41 omitted members of a record are read from the provider’s discovery document, of exactly that issuer', async (t) => {
  const { app } = await setUpHosted(t)
  const server = await startJwksServer()
  t.after(() => server.close())
  const issuer = `http://127.0.0.1:${server.port}`
  const document = {
    issuer,
    jwks_uri: `${issuer}/keys`,
    token_endpoint: `${issuer}/token`,
    registration_endpoint: `${issuer}/register`,
  }
  server.respondWith({ body: document, headers: { 'content-type': 'application/json' } })
  const body = { name: 'enterprise', kind: 'oidc', issuer, audience: 'network-api' }
  const made = await app.admin('POST', PROVIDERS, body)
  assert.equal(made.status, 201, made.text)
  assert.deepEqual(
    [made.json.jwksUri, made.json.tokenUrl, made.json.registrationUrl, made.json.discoveryUrl, made.json.enabled],
    [
      document.jwks_uri,
      document.token_endpoint,
      document.registration_endpoint,
      `${issuer}/.well-known/openid-configuration`,
      true,
    ],
  )
  server.respondWith({ body: { ...document, issuer: `${issuer}/` }, headers: { 'content-type': 'application/json' } })
  const other = await app.admin('POST', PROVIDERS, { ...body, name: 'other' })
  assert.deepEqual([other.status, other.json.field], [400, 'issuer'])
})

test('D41 a record that would accept too many tokens is refused, and its twin is not', async (t) => {
  const { app, createProvider } = await setUpHosted(t)
  const good = {
    name: 'p',
    kind: 'oidc',
    issuer: 'https://idp.example',
    audience: 'a',
    jwksUri: 'https://idp.example/k',
    tokenUrl: 'https://idp.example/t',
  }
  const wrong: readonly [object, string][] = [
    [{ audience: '' }, 'audience'],
    [{ kind: 'auth0', audience: undefined }, 'audience'],
    [{ issuer: 'https://acme.okta.com' }, 'issuer'],
    [{ kind: 'cognito', audience: undefined }, 'issuer'],
    [{ clientIdClaim: '/a~' }, 'clientIdClaim'],
    [{ jwksUri: 'http://169.254.169.254/keys' }, 'jwksUri'],
    [{ registrationUrl: 'ftp://idp.example/register' }, 'registrationUrl'],
    [{ name: '' }, 'name'],
  ]
  for (const [members, field] of wrong) {
    const reply = await app.admin('POST', PROVIDERS, { ...good, ...members })
    assert.deepEqual([reply.status, reply.json.field], [400, field], reply.text)
  }
  assert.deepEqual((await app.admin('GET', PROVIDERS)).json, [])
  assert.equal((await app.admin('POST', PROVIDERS, good)).status, 201)
  await createProvider('cognito')
})

test('a record is changed by PUT and PATCH; while it has accounts its issuer is fixed and it cannot be deleted', async (t) => {
  const { app, createProvider, createAccount, token, call } = await setUpHosted(t)
  const id = await createProvider('auth0')
  const path = `${PROVIDERS}/${id}`
  const account = await createAccount(id, 'machine')
  assert.equal((await app.admin('PATCH', path, { issuer: 'https://other.example/' })).status, 400)
  const busy = await app.admin('DELETE', path)
  assert.deepEqual([busy.status, busy.json.status.label], [409, 'CONFLICT'])
  assert.equal((await call('GET', '/core/v3/networks', token('auth0', 'machine'))).status, 200)
  assert.equal((await app.admin('PATCH', path, { audience: 'https://other.example/' })).status, 200)
  assert.equal((await call('GET', '/core/v3/networks', token('auth0', 'machine'))).status, 401)
  await app.admin('DELETE', `/identity/v1/api-account-identities/${account}`)
  assert.equal((await app.admin('DELETE', path)).status, 204)
  assert.equal((await app.admin('GET', path)).status, 404)
})

test('clientIdClaim of the record selects the claim with the client id', async (t) => {
  const { createProvider, createAccount, token, call } = await setUpHosted(t)
  const issuer = 'https://idp.example'
  await createAccount(await createProvider('keycloak', { issuer, clientIdClaim: 'client_id' }), 'machine')
  const status = async (claims: object) =>
    (await call('GET', '/core/v3/networks', token('keycloak', 'someone', { iss: issuer, ...claims }))).status
  assert.equal(await status({ client_id: 'machine' }), 200)
  assert.equal(await status({ azp: 'machine' }), 401)
})

test('F-14 after a change of one record the others are not read again, and their tokens and the changed ones are verified as stored', async (t) => {
  const { app, createProvider, createAccount, token, call } = await setUpHosted(t, { isAlone: 'node' })
  const ids = { cognito: await createProvider('cognito'), auth0: await createProvider('auth0') }
  for (const kind of ['cognito', 'auth0'] as const) await createAccount(ids[kind], 'machine', { name: kind })
  const statusOf = async (kind: keyof typeof ids) =>
    (await call('GET', '/core/v3/networks', token(kind, 'machine'))).status
  const change = async (body: unknown) => {
    const reply = await app.admin('PATCH', `${PROVIDERS}/${ids.auth0}`, body)
    assert.equal(reply.status, 200, reply.text)
    return [await statusOf('cognito'), await statusOf('auth0')]
  }
  assert.deepEqual(await change({ name: 'renamed' }), [200, 200])
  const { statements } = await watchReads(app.store, async () => {
    assert.deepEqual(await change({ enabled: false }), [200, 401])
    assert.deepEqual(await change({ enabled: true }), [200, 200])
    assert.deepEqual(await change({ audience: 'https://other.example/' }), [200, 401])
  })
  const reads = statements.filter((sql) => sql.includes('from "identity_providers"'))
  assert.ok(reads.length > 0)
  for (const sql of reads) assert.match(sql, / where /)
})
