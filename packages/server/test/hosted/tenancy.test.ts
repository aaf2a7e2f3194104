import assert from 'node:assert/strict'
import { test } from 'node:test'
import { KINDS, setUpHosted } from './hosted.fixture.ts'
import { isHostedRoute } from './is-hosted-route.ts'

/** Two organizations that trust the very same provider, each with a machine of its own. */
async function setUp(t: Parameters<typeof setUpHosted>[0]) {
  const hosted = await setUpHosted(t)
  const make = async (label: string, clientId: string) => {
    const organizationId = await hosted.createOrganization(label)
    const provider = await hosted.createProvider('cognito', { organizationId })
    const account = await hosted.createAccount(provider, clientId, { organizationId })
    const bearer = hosted.token('cognito', clientId)
    const network = hosted.made(await hosted.call('POST', '/core/v3/networks', bearer, { name: `${label} net` }))
    return { organizationId, provider, account, bearer, network: network.id, group: network.networkGroupId }
  }
  return { ...hosted, acme: await make('ACME', 'acme-machine'), other: await make('OTHER', 'other-machine') }
}

test('N-13 S2-4.1 two organizations with the same provider never see each other, whatever id is asked for', async (t) => {
  const { app, call, acme, other } = await setUp(t)
  const foreign = Object.values({ ...other, bearer: '' }).filter((id) => id !== '')
  const lists = app.controller.http.routes.filter((route) => isHostedRoute(route) && route.method === 'GET')
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

test('N-13 nothing of another organization can be changed: it is not there', async (t) => {
  const { app, call, acme, other, made } = await setUp(t)
  const before = made(await call('GET', '/core/v3/networks', other.bearer), 200)
  const foreign = Object.values({ ...other, bearer: '' }).filter((id) => id !== '')
  const routes = app.controller.http.routes.filter((route) => isHostedRoute(route) && route.method !== 'GET')
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
  let tried = 0
  for (const { method, paths } of routes) {
    for (const path of paths) {
      if (!path.includes(':id')) continue
      const body = path.endsWith('/exchange') ? { type: 'session' } : bodies[path.split('/')[3] ?? '']
      for (const id of foreign) {
        tried += 1
        const reply = await call(method, path.replace(':id', id), acme.bearer, method === 'DELETE' ? undefined : body)
        assert.deepEqual([method, path, reply.status], [method, path, 404], reply.text)
      }
    }
  }
  assert.ok(tried > 30)
  const made_ = { name: 'n', identityProviderId: other.provider, clientId: 'x' }
  assert.equal((await call('POST', '/identity/v1/api-account-identities', acme.bearer, made_)).status, 404)
  const into = { ...made_, organizationId: other.organizationId }
  assert.equal((await call('POST', '/identity/v1/api-account-identities', acme.bearer, into)).status, 404)
  const grouped = { name: 'n', networkGroupId: other.group }
  assert.equal((await call('POST', '/core/v3/networks', acme.bearer, grouped)).status, 404)
  assert.deepEqual(made(await call('GET', '/core/v3/networks', other.bearer), 200), before)
  assert.equal((await call('GET', '/identity/v1/identities/self', other.bearer)).json.name, 'account of other-machine')
})

test('N-13 P-11 nobody gets the machines of others by naming a claim that all tokens of their issuer have', async (t) => {
  const { call, token, acme, other, made } = await setUp(t)
  const { record } = KINDS.cognito
  const body = { ...record, jwksUri: 'https://keys.example/jwks', clientIdClaim: 'token_use' }
  // Several, since one alone may come last by chance.
  let provider = { id: '' }
  for (const name of ['trap 1', 'trap 2', 'trap 3', 'trap 4', 'trap 5', 'trap 6']) {
    provider = made(await call('POST', '/identity/v1/identity-providers', other.bearer, { ...body, name }))
  }
  const trap = { name: 'trap', identityProviderId: provider.id, clientId: 'access' }
  const { id } = made(await call('POST', '/identity/v1/api-account-identities', other.bearer, trap))
  const self = async (bearer: string) => (await call('GET', '/identity/v1/identities/self', bearer)).json.id
  assert.equal(await self(acme.bearer), acme.account)
  assert.equal(await self(token('cognito', 'nobody’s machine')), id, 'the claim of a record counts where no other does')
})

test('N-11 the organization comes from the account alone, never from a header or a body', async (t) => {
  const { app, acme, other } = await setUp(t)
  for (const name of ['NF-OrganizationId', 'x-organization-id', 'x-tenant-id', 'x-forwarded-user']) {
    const headers = { authorization: `Bearer ${acme.bearer}`, [name]: other.organizationId }
    const { json } = await app.call('GET', '/identity/v1/identities/self', undefined, { headers })
    assert.equal(json.organizationId, acme.organizationId)
  }
})

test('D45 whoever runs the controller sets a new organization up, and has no say in it once it has an account', async (t) => {
  const { app, createOrganization, createProvider, createAccount, acme, made } = await setUp(t)
  const organizationId = await createOrganization('THIRD')
  const provider = await createProvider('auth0', { organizationId })
  await createAccount(provider, 'third-machine', { organizationId })
  const again = { name: 'late', identityProviderId: provider, clientId: 'x', organizationId }
  assert.equal((await app.admin('POST', '/identity/v1/api-account-identities', again)).status, 404)
  assert.equal((await app.admin('GET', `/identity/v1/organizations/${acme.organizationId}`)).status, 404)
  assert.equal((await app.admin('GET', `/identity/v1/api-account-identities/${acme.account}`)).status, 404)
  const own = made(await app.admin('GET', '/identity/v1/organizations'), 200)
  assert.deepEqual([own.length, own[0].label], [1, 'LOCAL'])
})

test('an organization of its own may not make further ones', async (t) => {
  const { call, acme, app } = await setUp(t)
  const body = { name: 'x', label: 'X' }
  assert.equal((await call('POST', '/identity/v1/organizations', acme.bearer, body)).status, 403)
  assert.equal((await app.admin('POST', '/identity/v1/organizations', body)).status, 201)
})
