/** The rules of `administration` that do not depend on its kind, and those of RFC 7591. */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { mintToken } from '@countersign/testkit'
import { keysOf, setUpHosted } from '../hosted/hosted.fixture.ts'
import { startKeycloak } from './keycloak-stub.ts'
import { startStub } from './stub-server.ts'
import { makeJobs, setUpAdministration } from './worlds.fixture.ts'

const PROVIDERS = '/identity/v1/identity-providers'
const ACCOUNTS = '/identity/v1/api-account-identities'
const JOBS = '/identity/v1/account-jobs'

test('D65 the secret of an administration is dropped when its address changes, and kept otherwise', async (t) => {
  const { app, world, provider, paths } = await setUpAdministration(t, 'keycloak')
  const patch = async (administration: object) => {
    const reply = await app.admin('PATCH', paths.provider, {
      administration: { ...world.administration, ...administration },
    })
    assert.equal(reply.status, 200, reply.text)
    return reply.json.administration.clientSecretSet
  }
  assert.equal(await patch({ clientId: 'other' }), true)
  assert.equal(await patch({ url: `${provider.administration.url}/auth` }), false)
  assert.equal(await patch({ clientSecret: 'again' }), true)
  assert.equal(await patch({ realm: 'other' }), false)
  const cleared = await app.admin('PATCH', paths.provider, { administration: null })
  assert.deepEqual([cleared.status, cleared.json.administration], [200, null])
})

test('D65 an empty secret of another kind removes nothing, one of the own kind removes it', async (t) => {
  const { app, world, paths } = await setUpAdministration(t, 'keycloak')
  const patch = async (body: object) => {
    const reply = await app.admin('PATCH', paths.provider, body)
    assert.equal(reply.status, 200, reply.text)
    return reply.json.administration.clientSecretSet
  }
  assert.equal(await patch({ registrationToken: '' }), true)
  assert.equal(await patch({ administration: { ...world.administration, clientSecret: '' } }), false)
})

test('D53 members that the kind does not have, and unknown ones, are 400 with the field', async (t) => {
  const { app, world, paths } = await setUpAdministration(t, 'keycloak')
  for (const [bad, field] of [
    [{ secretAccessKey: 'x', clientSecret: undefined }, 'administration.secretAccessKey'],
    [{ scope: 'x' }, 'administration.scope'],
    [{ realm: undefined }, 'administration.realm'],
    [{ kind: 'other' }, 'administration.kind'],
    [{ secret: 'x' }, 'administration.secret'],
    [{ url: 'ftp://sso.example' }, 'administration.url'],
    [{ url: 'https://169.254.169.254' }, 'administration.url'],
  ] as const) {
    const reply = await app.admin('PATCH', paths.provider, { administration: { ...world.administration, ...bad } })
    assert.deepEqual([reply.status, reply.json.field], [400, field], reply.text)
    assert.equal(reply.text.includes('"x"'), false)
  }
  const good = await app.admin('PATCH', paths.provider, { administration: world.administration })
  assert.equal(good.status, 200, good.text)
})

test('the kind can not change while accounts have clients of it, and a record with work left is not deleted', async (t) => {
  const { app, paths, create, world, bodyOf } = await setUpAdministration(t, 'keycloak')
  const { id } = bodyOf(await create())
  const change = () => app.admin('PATCH', paths.provider, { administration: { kind: 'manual' } })
  assert.equal((await change()).status, 400)
  world.refuseSecret()
  assert.equal((await app.admin('DELETE', `${paths.accounts}/${id}`)).status, 204)
  const [job] = (await app.admin('GET', JOBS)).json
  assert.deepEqual([job.kind, job.state], ['remove', 'pending'])
  assert.match(job.error, /invalid_client/)
  assert.equal((await app.admin('DELETE', paths.provider)).status, 409)
  assert.equal((await app.admin('POST', `${JOBS}/${job.id}/repeat`)).status, 502)
  assert.equal((await app.admin('DELETE', `${JOBS}/${job.id}`)).status, 204)
  assert.equal((await change()).status, 200)
  assert.equal((await app.admin('DELETE', paths.provider)).status, 204)
})

test('P-13 a removal that failed is tried again by upkeep until the provider has done it', async (t) => {
  const { app, paths, create, world, bodyOf, jobs } = await setUpAdministration(t, 'auth0')
  const { id } = bodyOf(await create())
  const administration = { ...world.administration, clientSecret: 'wrong' }
  assert.equal((await app.admin('PATCH', paths.provider, { administration })).status, 200)
  assert.equal((await app.admin('DELETE', `${paths.accounts}/${id}`)).status, 204)
  assert.equal(world.clientIds().length, 1)
  const right = { ...world.administration, clientSecret: 'the-secret' }
  assert.equal((await app.admin('PATCH', paths.provider, { administration: right })).status, 200)
  app.clock.advance(5 * 60_000)
  await jobs.accountJobs.runDue()
  assert.deepEqual([world.clientIds(), (await app.admin('GET', JOBS)).json], [[], []])
})

test('N-13 an organization uses only the administration of the issuer itself', async (t) => {
  const { app, createOrganization, createProvider, createAccount, token, call } = await setUpHosted(t)
  const { base, clients } = await startKeycloak(t)
  const organizationId = await createOrganization('TENANT')
  const first = await createProvider('keycloak', { organizationId })
  await createAccount(first, 'boss', { organizationId })
  const bearer = token('keycloak', 'boss')
  const administration = {
    kind: 'keycloak',
    url: base,
    realm: 'acme',
    clientId: 'countersign-admin',
    clientSecret: 'the-secret',
  }
  const record = {
    kind: 'oidc',
    jwksUri: 'https://idp.example/keys',
    tokenUrl: 'https://idp.example/token',
    audience: 'network-api',
  }
  const make = async (issuer: string) => {
    const made = await call('POST', PROVIDERS, bearer, { ...record, name: issuer, issuer, administration })
    assert.equal(made.status, 201, made.text)
    return call('POST', ACCOUNTS, bearer, { name: issuer, identityProviderId: made.json.id })
  }
  const foreign = await make('https://sso.example.com/realms/acme')
  assert.deepEqual([foreign.status, foreign.json.field, clients.size], [400, 'administration.url', 0])
  const own = await make(`${base}/realms/acme`)
  assert.deepEqual([own.status, clients.size], [201, 1], own.text)
  assert.ok(app.stores.length > 0)
})

test('N-13 an administration on the host of the issuer is not the issuer, unless the host is of Cognito', async (t) => {
  const { app, key, createOrganization, createProvider, createAccount, token, call } = await setUpHosted(t)
  const stub = await startStub(t, ({ path }) =>
    path.startsWith('/attacker/')
      ? { status: 200, json: { UserPoolClient: { ClientId: 'victim', ClientSecret: 'x' } } }
      : { status: 404 },
  )
  const organizationId = await createOrganization('TENANT')
  await createAccount(await createProvider('keycloak', { organizationId }), 'boss', { organizationId })
  const asTenant = (path: string, body: object) => call('POST', path, token('keycloak', 'boss'), body)
  const issuer = `${stub.base}/victim`
  const keys = { jwksUri: keysOf({ issuer }), tokenUrl: `${issuer}/token` }
  const secret = { accessKeyId: 'A', secretAccessKey: 'b', scope: 's' }
  const administration = { kind: 'cognito', url: `${stub.base}/attacker`, ...secret }
  const make = async (post: typeof asTenant) => {
    const record = { name: 'x', kind: 'oidc', issuer, ...keys, audience: 'network-api', administration }
    const made = await post(PROVIDERS, record)
    assert.equal(made.status, 201, made.text)
    return post(ACCOUNTS, { name: 'stolen', identityProviderId: made.json.id })
  }
  const now = Math.floor(app.clock.now() / 1000)
  const names = { sub: 'victim', azp: 'victim', client_id: 'victim', aud: 'network-api' }
  const claims = { iss: issuer, iat: now, exp: now + 600, ...names }
  const useVictim = () => call('GET', '/identity/v1/organization', mintToken({ key, alg: 'ES256', claims }))
  const foreign = await make(asTenant)
  assert.deepEqual([foreign.status, foreign.json.field, stub.seen], [400, 'administration.url', []], foreign.text)
  assert.equal((await useVictim()).status, 401)
  const own = await make((path, body) => app.admin('POST', path, body))
  assert.equal(own.status, 201, own.text)
  assert.equal((await useVictim()).status, 200, 'the operator knows its servers')
})

test('N-13 jobs of another organization are 404, and read-only accounts change none', async (t) => {
  const { app, world, provider, create, createOrganization, createProvider, createAccount, token, call } =
    await setUpAdministration(t, 'cognito')
  world.failInTheMiddle()
  assert.equal((await create()).status, 502)
  const [job] = (await app.admin('GET', JOBS)).json
  const organizationId = await createOrganization('OTHER')
  const theirs = await createProvider('auth0', { organizationId })
  await createAccount(theirs, 'stranger', { organizationId })
  await createAccount(provider.id, 'reader', { role: 'read-only' })
  const stranger = token('auth0', 'stranger')
  const reader = token('cognito', 'reader')
  assert.deepEqual((await call('GET', JOBS, stranger)).json, [])
  for (const [bearer, read, write] of [
    [stranger, 404, 404],
    [reader, 200, 403],
  ] as const) {
    assert.equal((await call('GET', `${JOBS}/${job.id}`, bearer)).status, read)
    assert.equal((await call('DELETE', `${JOBS}/${job.id}`, bearer)).status, write)
    assert.equal((await call('POST', `${JOBS}/${job.id}/repeat`, bearer)).status, write)
  }
  assert.equal((await call('POST', `${PROVIDERS}/${provider.id}/test`, reader)).status, 403)
  assert.equal((await call('POST', `${PROVIDERS}/${provider.id}/test`, stranger)).status, 404)
  assert.equal((await app.admin('DELETE', `${JOBS}/${job.id}`)).status, 204)
})

/** A registration endpoint whose response is cut off, so that it is not known whether a client exists. */
async function startCutOff(t: TestContext): Promise<string> {
  const server = createServer((request) => request.socket.destroy())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/register`
}

test('P-13 rfc7591: a client that cannot be found is reported by its name', async (t) => {
  const { app, createProvider } = await setUpHosted(t)
  const identityProviderId = await createProvider('cognito', { registrationUrl: await startCutOff(t) })
  assert.equal((await app.admin('POST', ACCOUNTS, { name: 'nightly', identityProviderId })).status, 502)
  const [job] = (await app.admin('GET', JOBS)).json
  assert.equal(job.state, 'unknown')
  assert.equal(job.clientName, `nightly (countersign ${job.id})`)
  await makeJobs(app).accountJobs.runDue()
  assert.equal((await app.admin('GET', JOBS)).json.length, 1)
})

test('rfc7591: the test of a connection registers a client and removes it', async (t) => {
  const { app, createProvider } = await setUpHosted(t)
  const clients = new Set<string>()
  const stub = await startStub(t, ({ method, path, headers }) => {
    if (method === 'DELETE') {
      clients.delete(path)
      return { status: 204 }
    }
    if (headers.authorization !== 'Bearer right') return { status: 401, json: { error: 'invalid_token' } }
    clients.add('/register/1')
    const client = { client_id: '1', client_secret: 's', registration_access_token: 't' }
    return { status: 201, json: { ...client, registration_client_uri: `${stub.base}/register/1` } }
  })
  const administration = { kind: 'rfc7591', registrationUrl: `${stub.base}/register`, registrationToken: 'wrong' }
  const path = `${PROVIDERS}/${await createProvider('cognito', { administration })}`
  const wrong = await app.admin('POST', `${path}/test`)
  assert.deepEqual([wrong.status, wrong.json.ok], [200, false])
  assert.match(wrong.json.checks[0].message, /registrationToken/)
  assert.equal((await app.admin('PATCH', path, { registrationToken: 'right' })).status, 200)
  const right = await app.admin('POST', `${path}/test`)
  assert.deepEqual([right.json.ok, stub.seen.at(-1), clients.size], [true, 'DELETE /register/1', 0])
})

test('a manual record has nothing to test, and needs an existing client', async (t) => {
  const { app, createProvider } = await setUpHosted(t)
  const identityProviderId = await createProvider('okta', { administration: { kind: 'manual' } })
  const reply = await app.admin('POST', `${PROVIDERS}/${identityProviderId}/test`)
  assert.deepEqual([reply.status, reply.json], [200, { ok: true, kind: 'manual', checks: [] }])
  assert.equal((await app.admin('POST', ACCOUNTS, { name: 'a', identityProviderId })).status, 400)
  assert.equal((await app.admin('POST', ACCOUNTS, { name: 'a', identityProviderId, clientId: 'c' })).status, 201)
})

test('F-14 failed attempts do not block an organization: the newest hundred are kept', async (t) => {
  const { app, createProvider } = await setUpHosted(t)
  const stub = await startStub(t, () => ({ status: 503 }))
  const identityProviderId = await createProvider('cognito', { registrationUrl: `${stub.base}/register` })
  const create = () => app.admin('POST', ACCOUNTS, { name: 'nightly', identityProviderId })
  for (let nth = 0; nth < 103; nth++) assert.equal((await create()).status, 502)
  const jobs: { state: string }[] = (await app.admin('GET', JOBS)).json
  assert.ok(jobs.length <= 101, String(jobs.length))
  assert.ok(jobs.every(({ state }) => state === 'failed'))
})
