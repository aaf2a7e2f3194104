import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { providerFromBody } from '@countersign/core'
import { createProvider as createProviderOperation } from '../../src/operations/identity-provider/create-provider.ts'
import { deleteOrganization } from '../../src/operations/organization/delete-organization.ts'
import { updateOrganization } from '../../src/operations/organization/update-organization.ts'
import { KINDS, keysOf, OTHER_KEYS, setUpHosted } from './hosted.fixture.ts'
import { isHostedRoute, isOperatorRoute } from './is-hosted-route.ts'

const PROVIDERS = '/identity/v1/identity-providers'
const ACCOUNTS = '/identity/v1/api-account-identities'
const SELF = '/identity/v1/identities/self'

/** Two organizations that trust the same provider, each with its own machine. */
async function setUp(t: Parameters<typeof setUpHosted>[0]) {
  const hosted = await setUpHosted(t)
  const make = async (label: string, clientId: string) => {
    const organizationId = await hosted.createOrganization(label)
    const provider = await hosted.createProvider('cognito', { organizationId })
    const account = await hosted.createAccount(provider, clientId, { organizationId })
    const bearer = hosted.token('cognito', clientId)
    const network = hosted.bodyOf(await hosted.call('POST', '/core/v3/networks', bearer, { name: `${label} net` }))
    return { organizationId, provider, account, bearer, network: network.id, group: network.networkGroupId }
  }
  return { ...hosted, acme: await make('ACME', 'acme-machine'), other: await make('OTHER', 'other-machine') }
}

test('N-13 S2-4.1 two organizations with the same provider never see each other, whatever id is requested', async (t) => {
  const { app, call, acme, other } = await setUp(t)
  const foreign = Object.values({ ...other, bearer: '' }).filter((id) => id !== '')
  const hosted = app.controller.http.routes.filter((route) => isHostedRoute(route) && !isOperatorRoute(route))
  const lists = hosted.filter(({ method }) => method === 'GET')
  assert.ok(lists.length > 15)
  for (const { paths } of lists) {
    for (const path of paths) {
      if (!path.includes(':id')) {
        const reply = await call('GET', path, acme.bearer)
        assert.equal(reply.status, 200, `${path}: ${reply.text}`)
        for (const id of foreign) assert.equal(reply.text.includes(id), false, `${path} shows ${id}`)
        continue
      }
      for (const id of foreign) {
        const reply = await call('GET', path.replace(':id', id), acme.bearer)
        assert.deepEqual([path, id, reply.status], [path, id, 404])
      }
    }
  }
})

test('N-13 entities of another organization cannot be changed: they are not found', async (t) => {
  const { app, call, acme, other, bodyOf } = await setUp(t)
  const before = bodyOf(await call('GET', '/core/v3/networks', other.bearer), 200)
  const foreign = Object.values({ ...other, bearer: '' }).filter((id) => id !== '')
  const hosted = app.controller.http.routes.filter((route) => isHostedRoute(route) && !isOperatorRoute(route))
  const routes = hosted.filter(({ method }) => method !== 'GET')
  const bodies: Readonly<Record<string, object>> = {
    networks: { name: 'taken over' },
    organizations: { name: 'taken over', label: 'TAKEN' },
    'identity-providers': {
      name: 'x',
      kind: 'cognito',
      issuer: 'https://idp.example',
      jwksUri: 'https://idp.example/jwks',
    },
    'api-account-identities': { name: 'taken over' },
  }
  const actions: typeof bodies = { exchange: { type: 'session' }, rotate: {} }
  let tried = 0
  for (const { method, paths } of routes) {
    for (const path of paths) {
      if (!path.includes(':id')) continue
      const [, , , resource = '', , action = ''] = path.split('/')
      const body = actions[action] ?? bodies[resource]
      for (const id of foreign) {
        tried += 1
        const reply = await call(method, path.replace(':id', id), acme.bearer, method === 'DELETE' ? undefined : body)
        assert.deepEqual([method, path, reply.status], [method, path, 404], reply.text)
      }
    }
  }
  assert.ok(tried > 30)
  const account = { name: 'n', identityProviderId: other.provider, clientId: 'x' }
  assert.equal((await call('POST', '/identity/v1/api-account-identities', acme.bearer, account)).status, 404)
  const into = { ...account, organizationId: other.organizationId }
  assert.equal((await call('POST', '/identity/v1/api-account-identities', acme.bearer, into)).status, 404)
  const grouped = { name: 'n', networkGroupId: other.group }
  assert.equal((await call('POST', '/core/v3/networks', acme.bearer, grouped)).status, 404)
  assert.deepEqual(bodyOf(await call('GET', '/core/v3/networks', other.bearer), 200), before)
  assert.equal((await call('GET', '/identity/v1/identities/self', other.bearer)).json.name, 'account of other-machine')
})

test('N-13 P-11 an organization cannot capture the machines of others by a claim that all tokens of their issuer have', async (t) => {
  const { app, call, token, acme, other, bodyOf } = await setUp(t)
  const { record } = KINDS.cognito
  const body = { name: 'trap', ...record, jwksUri: keysOf(record) }
  app.clock.advance(1)
  for (const clientIdClaim of ['token_use', '/token_use', '/aud/0', 'pool', 'sub']) {
    const refused = await call('POST', PROVIDERS, other.bearer, { ...body, clientIdClaim })
    assert.deepEqual([refused.status, refused.json.field], [400, 'clientIdClaim'])
  }
  const provider = bodyOf(await call('POST', PROVIDERS, other.bearer, { ...body, clientIdClaim: 'client_id' }))
  const [path, kept] = [`${PROVIDERS}/${provider.id}`, bodyOf(await call('GET', PROVIDERS, other.bearer), 200)]
  assert.equal((await call('PATCH', path, other.bearer, { clientIdClaim: 'pool' })).status, 400)
  assert.deepEqual(bodyOf(await call('GET', PROVIDERS, other.bearer), 200), kept)
  assert.equal((await call('GET', SELF, token('cognito', 'acme-machine', { pool: 'shared' }))).json.id, acme.account)
  assert.equal((await call('GET', SELF, token('cognito', 'unregistered machine', { pool: 'shared' }))).status, 401)
})

/** Machines of one issuer whose tokens have two claims that can name a client. */
async function setUpClaims(t: Parameters<typeof setUpHosted>[0]) {
  const hosted = await setUp(t)
  const { app, call, bodyOf, token, acme, other } = hosted
  const issuer = 'https://idp.example'
  const provider = {
    name: 'sso',
    ...KINDS.keycloak.record,
    issuer,
    jwksUri: keysOf({ issuer }),
    tokenUrl: `${issuer}/token`,
  }
  const mint = (azp: string | undefined, sub: string) =>
    token('keycloak', '', { iss: issuer, azp, sub, client_id: undefined })
  const makeProvider = async ({ bearer }: { bearer: string }, members: object = {}): Promise<string> =>
    bodyOf(await call('POST', PROVIDERS, bearer, { ...provider, ...members })).id
  const makeAccount = (
    { bearer }: { bearer: string },
    identityProviderId: string,
    clientId: string,
    proofToken: string,
  ) => {
    app.clock.advance(1)
    const body = { name: `account of ${clientId}`, identityProviderId, clientId, proofToken }
    return call('POST', ACCOUNTS, bearer, body)
  }
  /** Registers a provider and an account, later on each call. */
  const register = async (
    organization: { bearer: string },
    clientId: string,
    proofToken: string,
    members: object = {},
  ) => {
    const identityProviderId = await makeProvider(organization, members)
    const { id: account } = bodyOf(await makeAccount(organization, identityProviderId, clientId, proofToken))
    return { identityProviderId, account }
  }
  const self = async () => {
    const { status, json } = await call('GET', SELF, mint('svc-77', 'svc-77@clients'))
    return status === 200 ? json.id : status
  }
  // The proofs name no other account. Only later tokens of these clients are ambiguous.
  const ofAcme = () => register(acme, 'svc-77@clients', mint(undefined, 'svc-77@clients'), { clientIdClaim: 'sub' })
  const ofOther = () => register(other, 'svc-77', mint('svc-77', 'svc-77'))
  return { ...hosted, register, makeProvider, makeAccount, mint, ofAcme, ofOther, self, provider }
}

test('N-13 a registration whose token names an account of another organization too is refused', async (t) => {
  const { call, app, bodyOf, acme, other, ofAcme, makeProvider, makeAccount, mint, self, provider } =
    await setUpClaims(t)
  const { account } = await ofAcme()
  const record = await makeProvider(other)
  const refused = await makeAccount(other, record, 'svc-77', mint('svc-77', 'svc-77@clients'))
  assert.deepEqual([refused.status, refused.json.field], [400, 'clientId'], refused.text)
  assert.equal(await self(), account)
  const { id: organizationId } = bodyOf(
    await app.admin('POST', '/identity/v1/organizations', { name: 'Third', label: 'THIRD' }),
  )
  const { id: identityProviderId } = bodyOf(await app.admin('POST', PROVIDERS, { ...provider, organizationId }))
  const byOperator = { name: 'x', organizationId, identityProviderId, clientId: 'svc-78' }
  const unproven = await app.admin('POST', ACCOUNTS, byOperator)
  assert.deepEqual([unproven.status, unproven.json.field], [400, 'proofToken'], 'its tokens may name both accounts')
  bodyOf(await app.admin('POST', ACCOUNTS, { ...byOperator, proofToken: mint('svc-78', 'another') }))
  bodyOf(await makeAccount(other, record, 'svc-77', mint('svc-77', 'svc-77')))
  assert.equal(await self(), account)
  assert.equal((await call('DELETE', `${ACCOUNTS}/${account}`, acme.bearer)).status, 204)
})

test('a later registration neither takes over nor affects a machine of another organization', async (t) => {
  const { call, bodyOf, other, ofAcme, ofOther, self } = await setUpClaims(t)
  const { account } = await ofAcme()
  assert.equal(await self(), account)
  const later = await ofOther()
  assert.equal(await self(), account)
  const path = `${PROVIDERS}/${later.identityProviderId}`
  for (const change of [{ jwksUri: OTHER_KEYS }, { enabled: false }]) {
    bodyOf(await call('PATCH', path, other.bearer, change), 200)
    assert.equal(await self(), account, JSON.stringify(change))
  }
})

test('a later registration by a custom claim does not take over a machine with the usual claim', async (t) => {
  const { call, other, ofAcme, ofOther, self } = await setUpClaims(t)
  const { account } = await ofOther()
  assert.equal(await self(), account)
  const later = await ofAcme()
  assert.equal(await self(), account)
  assert.equal((await call('DELETE', `${ACCOUNTS}/${account}`, other.bearer)).status, 204)
  assert.equal(await self(), later.account)
})

test('the age of the account counts, not the age of its provider record', async (t) => {
  const { call, bodyOf, other, token, makeProvider, makeAccount, mint, ofAcme, self } = await setUpClaims(t)
  const record = await makeProvider(other)
  const { account } = await ofAcme()
  bodyOf(await makeAccount(other, record, 'svc-77', mint('svc-77', 'svc-77')))
  assert.equal(await self(), account)
  const next = { clientId: 'svc-78', proofToken: token('cognito', 'svc-78') }
  bodyOf(await call('POST', `${ACCOUNTS}/${other.account}/rotate`, other.bearer, next), 200)
  assert.equal(await self(), account)
})

test('a machine whose account or provider is disabled is refused, and no other account takes its place', async (t) => {
  const { call, bodyOf, acme, ofAcme, ofOther, self } = await setUpClaims(t)
  const { account, identityProviderId } = await ofAcme()
  const later = await ofOther()
  const switches: readonly [path: string, off: object, on: object][] = [
    [`${ACCOUNTS}/${account}`, { active: false }, { active: true }],
    [`${PROVIDERS}/${identityProviderId}`, { enabled: false }, { enabled: true }],
  ]
  for (const [path, off, on] of switches) {
    bodyOf(await call('PATCH', path, acme.bearer, off), 200)
    assert.equal(await self(), 401)
    bodyOf(await call('PATCH', path, acme.bearer, on), 200)
    assert.equal(await self(), account)
  }
  assert.equal((await call('DELETE', `${ACCOUNTS}/${account}`, acme.bearer)).status, 204)
  assert.equal(await self(), later.account)
})

test('the client id claim is fixed while there are accounts, so that none becomes another client', async (t) => {
  const { call, bodyOf, other, ofAcme, self, register, token } = await setUpClaims(t)
  const proofToken = token('keycloak', 'svc-77', { iss: 'https://idp.example', azp: undefined, sub: 'svc-77' })
  const early = await register(other, 'svc-77', proofToken, { clientIdClaim: 'client_id' })
  const { account } = await ofAcme()
  const path = `${PROVIDERS}/${early.identityProviderId}`
  const refused = await call('PATCH', path, other.bearer, { clientIdClaim: 'azp' })
  assert.deepEqual([refused.status, refused.json.status.label], [400, 'BAD_REQUEST'], refused.text)
  assert.equal(await self(), account)
  bodyOf(await call('PATCH', path, other.bearer, { clientIdClaim: 'client_id', name: 'renamed' }), 200)
  assert.equal((await call('DELETE', `${ACCOUNTS}/${early.account}`, other.bearer)).status, 204)
  bodyOf(await call('PATCH', path, other.bearer, { clientIdClaim: 'azp' }), 200)
})

test('a client id registered by another organization is refused without revealing that', async (t) => {
  const { call, acme, other, token } = await setUp(t)
  const make = async ({ bearer, provider }: typeof acme, clientId: string) => {
    const proofToken = token('cognito', clientId)
    const body = { name: 'x', identityProviderId: provider, clientId, proofToken }
    const { status, json } = await call('POST', ACCOUNTS, bearer, body)
    return [status, json.field, json.errors?.[0]]
  }
  const neutral = 'this client cannot be used for an account: choose another client of the provider'
  assert.deepEqual(await make(other, 'acme-machine'), [400, 'clientId', neutral])
  const own = `the account account of acme-machine (${acme.account}) already uses this client`
  assert.deepEqual(await make(acme, 'acme-machine'), [400, 'clientId', own])
  assert.equal((await make(other, 'unregistered machine'))[0], 201)
})

test('N-11 the organization comes from the account alone, never from a header or a body', async (t) => {
  const { app, acme, other } = await setUp(t)
  for (const name of ['NF-OrganizationId', 'x-organization-id', 'x-tenant-id', 'x-forwarded-user']) {
    const headers = { authorization: `Bearer ${acme.bearer}`, [name]: other.organizationId }
    const { json } = await app.call('GET', '/identity/v1/identities/self', undefined, { headers })
    assert.equal(json.organizationId, acme.organizationId)
  }
})

test('D45 an administrator sets up a new organization, and has no access once it has an account', async (t) => {
  const { app, createOrganization, createProvider, createAccount, acme, bodyOf } = await setUp(t)
  const organizationId = await createOrganization('THIRD')
  const provider = await createProvider('auth0', { organizationId })
  await createAccount(provider, 'third-machine', { organizationId })
  const again = { name: 'late', identityProviderId: provider, clientId: 'x', organizationId }
  assert.equal((await app.admin('POST', '/identity/v1/api-account-identities', again)).status, 404)
  assert.equal((await app.admin('GET', `/identity/v1/organizations/${acme.organizationId}`)).status, 404)
  assert.equal((await app.admin('GET', `/identity/v1/api-account-identities/${acme.account}`)).status, 404)
  const own = bodyOf(await app.admin('GET', '/identity/v1/organizations'), 200)
  assert.deepEqual([own.length, own[0].label], [1, 'LOCAL'])
})

test('D45 whether the operator may act on an organization is decided in the transaction of each write', async (t) => {
  const { app, createOrganization, createProvider, createAccount, acme } = await setUp(t)
  const session = await app.store.db.selectFrom('api_sessions').select(['id', 'identity_id']).executeTakeFirstOrThrow()
  const own = await app.store.db.selectFrom('organizations').select('id').where('is_local', '=', true).execute()
  const meta = (organizationId: string | undefined) => ({
    actorId: session.identity_id,
    credential: { sessionId: session.id, secondSigner: null },
    now: app.clock.now(),
    ...(organizationId !== undefined && { organizationId }),
  })
  const local = own[0]?.id
  const id = await createOrganization('THIRD')
  const { record } = KINDS.auth0
  const write = async (organizationId: string | undefined) => {
    const by = meta(organizationId)
    const provider = providerFromBody({ name: randomUUID(), ...record, jwksUri: keysOf(record) })
    await app.store.run(createProviderOperation, { id: randomUUID(), organizationId: id, provider }, by)
    await app.store.run(updateOrganization, { id, body: { name: 'renamed' } }, by)
  }
  await write(local)
  await assert.rejects(write(acme.organizationId), { code: 'NOT_FOUND' })
  await createAccount(await createProvider('auth0', { organizationId: id, name: 'y' }), 'third', { organizationId: id })
  await assert.rejects(write(local), { code: 'NOT_FOUND' })
  await assert.rejects(app.store.run(deleteOrganization, { id }, meta(local)), { code: 'NOT_FOUND' })
  await write(id)
})

test('an organization other than the controller’s cannot create further ones', async (t) => {
  const { call, acme, app } = await setUp(t)
  const body = { name: 'x', label: 'X' }
  assert.equal((await call('POST', '/identity/v1/organizations', acme.bearer, body)).status, 403)
  assert.equal((await app.admin('POST', '/identity/v1/organizations', body)).status, 201)
})

test('N-13 an organization cannot change its label, whether the new one is taken or not, and can change the rest', async (t) => {
  const { call, app, acme, bodyOf, createOrganization } = await setUp(t)
  const path = `/identity/v1/organizations/${acme.organizationId}`
  const label = async (method: string, wanted: string) => {
    const { status, json } = await call(method, path, acme.bearer, { name: 'Acme', label: wanted })
    return [status, json.field, json.errors]
  }
  for (const method of ['PUT', 'PATCH']) {
    const taken = await label(method, 'OTHER')
    assert.deepEqual(taken.slice(0, 2), [400, 'label'])
    assert.deepEqual(await label(method, 'FREE'), taken)
    assert.equal((await label(method, 'ACME'))[0], 200, 'sent back as it was read')
  }
  assert.equal(bodyOf(await call('PATCH', path, acme.bearer, { name: 'Acme 2' }), 200).name, 'Acme 2')
  const third = `/identity/v1/organizations/${await createOrganization('THIRD')}`
  assert.equal(bodyOf(await app.admin('PATCH', third, { label: 'RENAMED' }), 200).label, 'RENAMED')
  assert.equal((await app.admin('PATCH', third, { label: 'OTHER' })).status, 400)
})

test('neither PUT nor PATCH changes whether an organization is active', async (t) => {
  const { app, createOrganization, bodyOf } = await setUp(t)
  const id = await createOrganization('THIRD')
  const path = `/identity/v1/organizations/${id}`
  const body = { name: 'Third', label: 'THIRD' }
  bodyOf(await app.admin('POST', `/identity/v1/operator/organizations/${id}/suspend`), 200)
  for (const method of ['PATCH', 'PUT']) {
    assert.equal(bodyOf(await app.admin(method, path, body), 200).active, false)
    assert.equal((await app.admin(method, path, { ...body, active: true })).status, 400)
    assert.equal(bodyOf(await app.admin(method, path, { ...body, active: false }), 200).active, false)
  }
})
