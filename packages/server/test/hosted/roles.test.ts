import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ACCOUNT_ROLES } from '@countersign/contract'
import { setUpHosted } from './hosted.fixture.ts'
import { isHostedRoute } from './is-hosted-route.ts'

const ROLES = '/auth/v1/roles'
const MANAGEMENT = '/edge/management/v1'

/** The permission that each route of the hosted API needs, stated independently of the routes. `null` is for every caller. */
const NEEDS: Readonly<Record<string, string | null>> = {
  'GET networks': 'network.read',
  'GET networks/:id': 'network.read',
  'POST networks': 'network.create',
  'PUT networks/:id': 'network.update',
  'PATCH networks/:id': 'network.update',
  'DELETE networks/:id': 'network.delete',
  'POST networks/:id/exchange': 'network.exchange',
  'GET network-groups': 'network-group.read',
  'GET network-groups/:id': 'network-group.read',
  'GET identities/self': null,
  'GET api-account-identities/self': null,
  'GET user-identities/self': null,
  'GET identities': 'api-account.read',
  'GET identities/:id': 'api-account.read',
  'GET user-identities': 'organization.read',
  'GET user-identities/:id': 'organization.read',
  'POST logout': null,
  'GET api-account-identities': 'api-account.read',
  'GET api-account-identities/:id': 'api-account.read',
  'POST api-account-identities': 'api-account.create',
  'PUT api-account-identities/:id': 'api-account.update',
  'PATCH api-account-identities/:id': 'api-account.update',
  'POST api-account-identities/:id/rotate': 'api-account.rotate',
  'DELETE api-account-identities/:id': 'api-account.delete',
  'GET identity-providers': 'identity-provider.read',
  'GET identity-providers/:id': 'identity-provider.read',
  'POST identity-providers': 'identity-provider.create',
  'PUT identity-providers/:id': 'identity-provider.update',
  'PATCH identity-providers/:id': 'identity-provider.update',
  'DELETE identity-providers/:id': 'identity-provider.delete',
  'GET organizations': 'organization.read',
  'GET organizations/:id': 'organization.read',
  'GET organization': 'organization.read',
  'GET tenants': 'organization.read',
  'POST organizations': 'organization.update',
  'PUT organizations/:id': 'organization.update',
  'PATCH organizations/:id': 'organization.update',
  'DELETE organizations/:id': 'organization.update',
  // An account picks up its own credentials without it.
  'POST api-account-identities/:id/pick-up': 'api-account.pick-up',
  'POST identity-providers/:id/test': 'identity-provider.test',
  'GET account-jobs': 'account-job.read',
  'GET account-jobs/:id': 'account-job.read',
  'POST account-jobs/:id/repeat': 'account-job.repeat',
  'DELETE account-jobs/:id': 'account-job.delete',
  'GET audit-events': 'audit-event.read',
  'GET roles': 'role.read',
  'GET roles/:id': 'role.read',
  'GET operator/organizations': 'operator.read',
  'GET operator/organizations/:id': 'operator.read',
  'GET operator/organizations/:id/quotas': 'operator.read',
  'POST operator/organizations/:id/suspend': 'operator.suspend',
  'POST operator/organizations/:id/resume': 'operator.resume',
  'PUT operator/organizations/:id/quotas': 'operator.update-quotas',
  'PATCH operator/organizations/:id/quotas': 'operator.update-quotas',
}

async function setUp(t: Parameters<typeof setUpHosted>[0]) {
  const hosted = await setUpHosted(t)
  const provider = await hosted.createProvider('cognito')
  const make = async (role: string) => {
    const id = await hosted.createAccount(provider, `${role}-machine`, { role })
    return { id, bearer: hosted.token('cognito', `${role}-machine`) }
  }
  const accounts = Object.fromEntries(
    await Promise.all(ACCOUNT_ROLES.map(async (role) => [role, await make(role)] as const)),
  )
  const bearerOf = (role: string): string => accounts[role]?.bearer ?? assert.fail(role)
  return { ...hosted, provider, accounts, bearerOf }
}

test('D57 a role permits exactly what it is shown to permit, on every route of the hosted API', async (t) => {
  const { app, call, bearerOf, bodyOf } = await setUp(t)
  const { content } = bodyOf(await call('GET', ROLES, bearerOf('read-only')), 200)
  assert.deepEqual(content.map(({ role }: { role: string }) => role).toSorted(), [...ACCOUNT_ROLES].toSorted())
  const named = new Set<string>()
  const routes = app.controller.http.routes.filter(isHostedRoute)
  for (const { method, paths } of routes) {
    for (const path of paths) {
      const route = `${method} ${path.split('/').slice(3).join('/')}`
      const needed = NEEDS[route]
      assert.notEqual(needed, undefined, `${route} is missing in NEEDS`)
      if (needed) named.add(needed)
      for (const { role, permissions } of content) {
        const { status } = await call(method, path.replace(':id', 'none'), bearerOf(role))
        const isPermitted = needed === null || permissions.includes(needed)
        assert.deepEqual([role, route, status !== 403], [role, route, isPermitted])
      }
    }
  }
  const shown = new Set<string>(content.flatMap(({ permissions }: { permissions: string[] }) => permissions))
  assert.deepEqual([...shown].toSorted(), [...named].toSorted(), 'every shown permission is one of a route')
})

test("D57 only the roles of the organization that owns the controller have the operator's permissions", async (t) => {
  const { call, token, bearerOf, bodyOf, createOrganization, createProvider, createAccount } = await setUp(t)
  const organizationId = await createOrganization('OTHER')
  await createAccount(await createProvider('auth0', { organizationId }), 'other', { organizationId })
  const permitted = async (bearer: string) => {
    const { content } = bodyOf(await call('GET', ROLES, bearer), 200)
    const { id, permissions } = content.find(({ role }: { role: string }) => role === 'admin')
    assert.deepEqual(bodyOf(await call('GET', `${ROLES}/${id}`, bearer), 200).permissions, permissions)
    return permissions.filter((permission: string) => permission.startsWith('operator.')).length
  }
  assert.deepEqual([await permitted(token('auth0', 'other')), await permitted(bearerOf('admin'))], [0, 4])
})

test('D57 the least role is the default, and each role keeps to it in the transaction too', async (t) => {
  const { app, call, provider, createAccount, accounts, bearerOf, bodyOf } = await setUp(t)
  const id = await createAccount(provider, 'plain', { role: undefined })
  assert.equal(bodyOf(await app.admin('GET', `/identity/v1/api-account-identities/${id}`), 200).role, 'read-only')
  const network = { name: 'plant' }
  assert.equal((await call('POST', '/core/v3/networks', bearerOf('read-only'), network)).status, 403)
  assert.equal((await call('POST', '/core/v3/networks', bearerOf('network-admin'), network)).status, 201)
  const account = `/identity/v1/api-account-identities/${accounts['network-admin']?.id}`
  assert.equal((await call('PATCH', account, bearerOf('network-admin'), { role: 'admin' })).status, 403)
  assert.equal((await call('PATCH', account, bearerOf('admin'), { role: 'admin' })).status, 200)
})

test('D46 a session of an account has the permissions that its role is shown to give', async (t) => {
  const { app, call, bearerOf, bodyOf, accounts } = await setUp(t)
  const [local] = bodyOf(await app.admin('GET', '/core/v3/networks'), 200)._embedded.networkList
  const { content } = bodyOf(await call('GET', ROLES, bearerOf('admin')), 200)
  const exchange = async (role: string): Promise<string> =>
    bodyOf(await call('POST', `/core/v3/networks/${local.id}/exchange`, bearerOf(role), { type: 'session' }), 200).value
  const rightsOf = async (session: string) => {
    const { json } = await app.call('GET', `${MANAGEMENT}/current-identity`, undefined, { session })
    return json.data.isAdmin ? ['admin'] : json.data.permissions
  }
  for (const { role, sessionPermissions } of content) {
    assert.deepEqual(await rightsOf(await exchange(role)), sessionPermissions, role)
  }
  const session = await exchange('network-admin')
  const create = (permissions: string[]) =>
    app.call(
      'POST',
      `${MANAGEMENT}/identities`,
      { name: `n${permissions}`, type: 'Default', isAdmin: false, permissions },
      { session },
    )
  assert.equal((await create([])).status, 201)
  assert.equal((await create(['identity'])).status, 401, 'it grants no permissions')
  const path = `/identity/v1/api-account-identities/${accounts['network-admin']?.id}`
  bodyOf(await app.admin('PATCH', path, { role: 'read-only' }), 200)
  assert.deepEqual(await rightsOf(session), ['admin_readonly'], 'a new role applies to open sessions')
})

test('roles are listed as existing clients read them', async (t) => {
  const { call, bearerOf, accounts, bodyOf } = await setUp(t)
  const { content, page } = bodyOf(
    await call('GET', `${ROLES}?sort=name,asc&size=3000&page=0`, bearerOf('read-only')),
    200,
  )
  assert.deepEqual([page.totalElements, page.totalPages, page.number], [3, 1, 0])
  for (const role of content) {
    for (const member of ['id', 'code', 'name', 'description']) assert.equal(typeof role[member], 'string')
    assert.deepEqual(bodyOf(await call('GET', `${ROLES}/${role.id}`, bearerOf('admin')), 200), role)
  }
  const own = bodyOf(await call('GET', `${ROLES}?identityId=${accounts['network-admin']?.id}`, bearerOf('admin')), 200)
  assert.deepEqual(
    own.content.map(({ code }: { code: string }) => code),
    ['network-admin'],
  )
})
