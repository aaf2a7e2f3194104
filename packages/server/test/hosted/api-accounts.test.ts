import assert from 'node:assert/strict'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { race } from '../races/race.fixture.ts'
import { setUpHosted } from './hosted.fixture.ts'

const ACCOUNTS = '/identity/v1/api-account-identities'

interface Seen {
  readonly method: string
  readonly path: string
  readonly authorization: string | undefined
  readonly body: unknown
}

/** A registration endpoint (RFC 7591 and 7592) that keeps its clients and can be made to fail. */
async function startRegistration(t: TestContext) {
  const clients = new Map<string, string>()
  const seen: Seen[] = []
  const state = { failsWith: 0, response: undefined as unknown, whileRegistering: async (): Promise<void> => {} }
  const server = createServer(async (request, response) => {
    const body = await readAll(request)
    const path = request.url ?? ''
    seen.push({ method: request.method ?? '', path, authorization: request.headers.authorization, body })
    const send = (status: number, json?: unknown) => {
      response
        .writeHead(status, { 'content-type': 'application/json' })
        .end(json === undefined ? '' : JSON.stringify(json))
    }
    if (state.failsWith) return send(state.failsWith, { error: 'temporarily_unavailable' })
    if (request.method === 'POST') {
      await state.whileRegistering()
      const id = `client-${clients.size + 1}`
      clients.set(id, `secret-of-${id}`)
      const registration_client_uri = `${base()}/register/${id}`
      return send(201, {
        client_id: id,
        client_secret: `secret-of-${id}`,
        registration_client_uri,
        registration_access_token: `manage-${id}`,
        ...(state.response as object),
      })
    }
    const id = path.split('/').at(-1) ?? ''
    if (request.headers.authorization !== `Bearer manage-${id}` || !clients.delete(id)) return send(401)
    response.writeHead(204).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => server.close())
  const base = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { clients, seen, state, url: `${base()}/register` }
}

async function readAll(request: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = []
  for await (const part of request as AsyncIterable<Buffer>) parts.push(part)
  const text = Buffer.concat(parts).toString()
  return text === '' ? undefined : JSON.parse(text)
}

async function setUp(t: TestContext) {
  const hosted = await setUpHosted(t)
  const registration = await startRegistration(t)
  const members = { registrationUrl: registration.url, registrationToken: 'initial-token' }
  const provider = await hosted.createProvider('cognito', members)
  const create = (body: object = {}) =>
    hosted.app.admin('POST', ACCOUNTS, { name: 'nightly-ci', identityProviderId: provider, ...body })
  return { ...hosted, registration, provider, create }
}

test('S2-5.2 S2-5.3 D42 an account is registered at the provider, and its credential file has three members, shown once', async (t) => {
  const { app, registration, create, token, call } = await setUp(t)
  const reply = await create({ contactEmail: 'ops@example.com', description: 'build pipeline' })
  assert.equal(reply.status, 201, reply.text)
  assert.deepEqual(reply.json.credentials, {
    clientId: 'client-1',
    password: 'secret-of-client-1',
    authenticationUrl: 'https://idp.example/token',
  })
  const [request] = registration.seen
  assert.ok(request)
  assert.deepEqual([request.method, request.authorization], ['POST', 'Bearer initial-token'])
  assert.deepEqual((request.body as { grant_types: string[] }).grant_types, ['client_credentials'])
  const { json } = await app.admin('GET', `${ACCOUNTS}/${reply.json.id}`)
  assert.equal(json.credentials, undefined)
  assert.deepEqual(
    [json.email, json.contactEmail, json.description],
    ['ops@example.com', 'ops@example.com', 'build pipeline'],
  )
  assert.equal(json.awsCognitoClientId, 'us-east-1_EXAMPLE|client-1')
  assert.equal((await call('GET', '/core/v3/networks', token('cognito', 'client-1'))).status, 200)
})

test('D65 R-13 the token for one registration address is never sent to another', async (t) => {
  const { app, registration, provider, create } = await setUp(t)
  const elsewhere = await startRegistration(t)
  elsewhere.clients.set('another client', '')
  const path = `/identity/v1/identity-providers/${provider}`
  const sentTo = ({ seen }: typeof registration) => seen.map(({ authorization }) => authorization)
  assert.equal((await app.admin('PATCH', path, { name: 'renamed', registrationUrl: registration.url })).status, 200)
  assert.equal((await create()).status, 201)
  assert.deepEqual(sentTo(registration), ['Bearer initial-token'])
  const moved = await app.admin('PATCH', path, { registrationUrl: elsewhere.url })
  assert.deepEqual([moved.status, moved.json.hasRegistrationToken], [200, false])
  assert.equal((await create({ name: 'second' })).status, 201)
  assert.deepEqual(sentTo(elsewhere), [undefined])
  const members = { registrationUrl: registration.url, registrationToken: 'initial-token' }
  assert.equal((await app.admin('PATCH', path, members)).json.hasRegistrationToken, true)
})

test('P-12 a client that a rotation registers while its account is deleted does not stay at the provider', async (t) => {
  const { app, registration, create } = await setUp(t)
  for (const isRotated of [false, true]) {
    const { id } = (await create()).json
    const request = { method: 'DELETE', path: `${ACCOUNTS}/${id}` }
    const { reply, hasWritten } = await race(
      { app },
      { credentials: { session: app.adminSession } },
      request,
      'apiAccount.delete',
      async () => {
        if (!isRotated) return
        const rotated = await app.admin('POST', `${ACCOUNTS}/${id}/rotate`, {})
        assert.ok(rotated.status < 300, rotated.text)
        assert.equal(registration.clients.size, 2)
      },
    )
    assert.ok(hasWritten)
    assert.ok(reply.status < 300, reply.text)
    assert.deepEqual([...registration.clients.keys()], [])
  }
})

test('R-13 D42 neither the secret nor a token of the provider is in the store in clear, or in the log', async (t) => {
  const { app, create } = await setUp(t)
  await create()
  const dump = JSON.stringify([
    await app.store.db.selectFrom('api_accounts').selectAll().execute(),
    await app.store.db.selectFrom('api_account_clients').selectAll().execute(),
    await app.store.db.selectFrom('identity_providers').selectAll().execute(),
    await app.store.db.selectFrom('change_log').selectAll().execute(),
    app.logged,
  ])
  for (const secret of ['secret-of-client-1', 'manage-client-1', 'initial-token']) {
    assert.equal(dump.includes(secret), false, secret)
  }
  const { json } = await app.admin('GET', '/identity/v1/identity-providers')
  assert.equal(JSON.stringify(json).includes('initial-token'), false)
  assert.equal(json[0].hasRegistrationToken, true)
})

test('D42 if the provider fails, or the account is refused, nothing is left on either side', async (t) => {
  const { app, registration, create } = await setUp(t)
  const accounts = async () => (await app.admin('GET', ACCOUNTS)).json.length
  registration.state.failsWith = 503
  const failed = await create()
  assert.deepEqual([failed.status, failed.json.status.label], [502, 'BAD_GATEWAY'])
  assert.match(failed.json.errors[0], /HTTP 503/)
  registration.state.failsWith = 0
  for (const response of [{ client_secret: undefined }, { client_id: 7 }]) {
    registration.state.response = response
    assert.equal((await create()).status, 502)
  }
  registration.state.response = undefined
  registration.clients.clear()
  assert.equal(await accounts(), 0)
  for (const body of [
    { name: '' },
    { contactEmail: 'not an address' },
    { role: 'unknown' },
    { identityProviderId: 'x' },
  ]) {
    assert.ok([400, 404].includes((await create(body)).status))
  }
  assert.equal(registration.clients.size, 0)
  assert.equal((await create()).status, 201)
  assert.equal((await create()).status, 400, 'the name is taken')
  assert.deepEqual([registration.clients.size, await accounts()], [1, 1])
  // The provider returns an id that another account has already: the new client is removed again.
  registration.state.response = { client_id: 'client-1' }
  const clash = await create({ name: 'other' })
  assert.equal(clash.status, 400, clash.text)
  assert.equal(registration.seen.at(-1)?.method, 'DELETE')
  assert.equal(await accounts(), 1)
})

test('rotation returns new credentials, and the old ones stay valid for the overlap', async (t) => {
  const { app, registration, create, token, call, bodyOf } = await setUp(t)
  const { id } = bodyOf(await create())
  const rotated = await app.admin('POST', `${ACCOUNTS}/${id}/rotate`, { overlapMinutes: 10 })
  assert.deepEqual([rotated.status, rotated.json.credentials.clientId], [200, 'client-2'])
  const status = async (client: string) => (await call('GET', '/core/v3/networks', token('cognito', client))).status
  assert.deepEqual([await status('client-1'), await status('client-2')], [200, 200])
  app.clock.advance(9 * 60_000)
  assert.equal(await status('client-1'), 200)
  app.clock.advance(60_000)
  assert.deepEqual([await status('client-1'), await status('client-2')], [401, 200])
  assert.deepEqual([...registration.clients.keys()], ['client-1', 'client-2'])
  const immediate = await app.admin('POST', `${ACCOUNTS}/${id}/rotate`, { overlapMinutes: 0 })
  assert.equal(immediate.json.credentials.clientId, 'client-3')
  assert.deepEqual([await status('client-2'), await status('client-3')], [401, 200])
})

test('a deleted account is deleted at the provider too, even if the provider has lost it', async (t) => {
  const { app, registration, create, bodyOf } = await setUp(t)
  const first = bodyOf(await create())
  const second = bodyOf(await create({ name: 'second' }))
  assert.equal((await app.admin('DELETE', `${ACCOUNTS}/${first.id}`)).status, 204)
  assert.deepEqual([...registration.clients.keys()], ['client-2'])
  registration.clients.clear()
  assert.equal((await app.admin('DELETE', `${ACCOUNTS}/${second.id}`)).status, 204)
  assert.deepEqual((await app.admin('GET', ACCOUNTS)).json, [])
})

test('D50 a client that exists at the provider is recorded without a file, and only once', async (t) => {
  const { registration, create, token, call } = await setUp(t)
  const reply = await create({ clientId: 'made-elsewhere' })
  assert.equal(reply.status, 201)
  assert.equal(reply.json.credentials, undefined)
  assert.equal(reply.json.authenticationUrl, 'https://idp.example/token')
  assert.equal(registration.seen.length, 0)
  assert.equal((await call('GET', '/core/v3/networks', token('cognito', 'made-elsewhere'))).status, 200)
  const again = await create({ name: 'again', clientId: 'made-elsewhere' })
  assert.deepEqual([again.status, again.json.field], [400, 'clientId'])
})

test('without registration at the provider, the error says what to do', async (t) => {
  const { app, createProvider } = await setUp(t)
  const identityProviderId = await createProvider('keycloak')
  const reply = await app.admin('POST', ACCOUNTS, { name: 'x', identityProviderId })
  assert.equal(reply.status, 400)
  assert.match(reply.json.errors[0], /clientId/)
})

/** An account as shown, without the time of its last change. */
function shown({ credentials: _, updatedAt: __, ...account }: Record<string, unknown>) {
  return account
}

test('PUT replaces an account: omitted members are reset to their defaults, read-only ones stay', async (t) => {
  const { app, create, bodyOf } = await setUp(t)
  const members = { contactEmail: 'ops@example.com', description: 'pipeline', role: 'admin', active: false }
  const account = shown(bodyOf(await create(members)))
  const path = `${ACCOUNTS}/${account.id}`
  const put = async (body: object) => shown(bodyOf(await app.admin('PUT', path, body), 200))
  assert.deepEqual(await put(account), account, 'sending back an unchanged account changes nothing')
  const changed = { contactEmail: null, email: '', description: null, role: 'read-only', active: true }
  assert.deepEqual(await put({ name: account.name }), { ...account, ...changed })
})

test('PATCH of an account changes the given members, and blank text clears them', async (t) => {
  const { app, create, bodyOf } = await setUp(t)
  const members = { contactEmail: 'ops@example.com', description: 'pipeline', role: 'read-only', active: false }
  const account = shown(bodyOf(await create(members)))
  const path = `${ACCOUNTS}/${account.id}`
  const patch = async (body: object) => shown(bodyOf(await app.admin('PATCH', path, body), 200))
  assert.deepEqual(await patch({ description: '' }), { ...account, description: null })
  assert.deepEqual(await patch({ name: 'renamed' }), { ...account, description: null, name: 'renamed' })
})

test('D46 a caller whose client retires while the provider registers another is refused, and one who keeps it is not', async (t) => {
  const { app, registration, provider, createAccount, token, call } = await setUp(t)
  const boss = await createAccount(provider, 'boss')
  const bearer = token('cognito', 'boss')
  const create = (name: string) => call('POST', ACCOUNTS, bearer, { name, identityProviderId: provider })
  const rotate = (id: string) => call('POST', `${ACCOUNTS}/${id}/rotate`, bearer, { overlapMinutes: 1 })
  const made = await create('first')
  assert.equal(made.status, 201, made.text)
  assert.equal((await app.admin('POST', `${ACCOUNTS}/${boss}/rotate`, { overlapMinutes: 10 })).status, 200)
  const rotated = await rotate(made.json.id)
  assert.equal(rotated.status, 200, rotated.text)
  const known = registration.clients.size
  for (const write of [() => create('second'), () => rotate(made.json.id)]) {
    registration.state.whileRegistering = async () => app.clock.advance(10 * 60_000)
    assert.equal((await write()).status, 401)
    assert.equal(registration.clients.size, known, 'the new client is removed at the provider')
    app.clock.advance(-10 * 60_000)
  }
})

test('the overlap of a rotation begins when it is stored, however long the provider takes', async (t) => {
  const { app, registration, create } = await setUp(t)
  const { id } = (await create()).json
  registration.state.whileRegistering = async () => app.clock.advance(60_000)
  const began = app.clock.now()
  assert.equal((await app.admin('POST', `${ACCOUNTS}/${id}/rotate`, { overlapMinutes: 1 })).status, 200)
  const clients = app.store.db.selectFrom('api_account_clients').select('retires_at').where('retires_at', '>', 0)
  assert.ok(Number((await clients.executeTakeFirstOrThrow()).retires_at) >= began + 2 * 60_000)
})

test('D45 an organization that gets its first account while the operator registers another for it is closed to the operator', async (t) => {
  const { app, registration, createOrganization, createProvider, createAccount } = await setUp(t)
  const organizationId = await createOrganization('THIRD')
  const identityProviderId = await createProvider('auth0', { organizationId, registrationUrl: registration.url })
  const create = (name: string) => app.admin('POST', ACCOUNTS, { name, identityProviderId, organizationId })
  const first = await create('first')
  assert.equal(first.status, 201, first.text)
  const fourth = await createOrganization('FOURTH')
  const members = { organizationId: fourth, registrationUrl: registration.url }
  const ofFourth = await createProvider('auth0', members)
  registration.state.whileRegistering = async () => {
    registration.state.whileRegistering = async () => {}
    await createAccount(ofFourth, 'machine', { organizationId: fourth })
  }
  const late = { name: 'late', identityProviderId: ofFourth, organizationId: fourth }
  const before = registration.clients.size
  assert.equal((await app.admin('POST', ACCOUNTS, late)).status, 404)
  assert.equal(registration.clients.size, before, 'the new client is removed at the provider')
})
