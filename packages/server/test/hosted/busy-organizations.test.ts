/** An organization that writes and reads as much as it can, while others log in. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { accountFromBody, networkFromBody, organizationAudience } from '@countersign/core'
import { BY_OPERATOR } from '../../src/operations/api-account/client-binding.ts'
import { createApiAccount } from '../../src/operations/api-account/create-api-account.ts'
import { createNetwork } from '../../src/operations/network/create-network.ts'
import { ADMIN_PASSWORD } from '../http/build-app.ts'
import { settingsFile } from '../oidc/oidc.fixture.ts'
import { setUpHosted } from './hosted.fixture.ts'

const PROVIDERS = '/identity/v1/identity-providers'
const ACCOUNTS = 500
const WRITES = 100

const LISTS = 30
const SELF = '/identity/v1/identities/self'

const META = (now: number) => ({ actorId: 'system', now })

/** An organization with a record and its account `boss`, with many further accounts of another record. */
async function setUp(t: TestContext) {
  const hosted = await setUpHosted(t)
  const { app, createOrganization, createProvider, createAccount, token, call } = hosted
  const organizationId = await createOrganization('BUSY')
  const providerId = await createProvider('auth0', { organizationId })
  await createAccount(await createProvider('cognito', { organizationId }), 'boss', { organizationId })
  const meta = () => META(app.clock.now())
  const addAccount = (nth: number) => {
    const owners = { id: randomUUID(), organizationId, identityProviderId: providerId }
    const settings = accountFromBody({ name: `account ${nth}` })
    const client = { clientId: `client ${nth}`, administeredBy: null, handle: null, sealedToken: null }
    return app.store.run(createApiAccount, { ...owners, settings, client, binding: BY_OPERATOR }, meta())
  }
  /** Each character of the name has 18 when it is folded. */
  const addNetwork = (nth: number) => {
    const settings = networkFromBody({ name: `${'\uFDFA'.repeat(250)} ${nth}` })
    return app.store.run(createNetwork, { id: randomUUID(), organizationId, settings, productVersion: '1' }, meta())
  }
  const bearer = token('cognito', 'boss')
  const get = (path: string) => call('GET', path, bearer)
  return { ...hosted, providerId, bearer, get, addAccount, addNetwork }
}

type Get = Awaited<ReturnType<typeof setUp>>['get']

/** Requests the list many times at once, and then `request`, which must be answered in less than half of their time. */
async function overtake(get: Get, path: string, request: () => Promise<{ readonly status: number }>) {
  assert.equal((await get(path)).status, 200)
  const began = performance.now()
  const lists = Array.from({ length: LISTS }, () => get(path))
  assert.equal((await request()).status, 200)
  const requestMs = performance.now() - began
  for (const { status } of await Promise.all(lists)) assert.equal(status, 200)
  const listsMs = performance.now() - began
  assert.ok(requestMs < listsMs / 2, `it took ${requestMs} ms beside lists of ${listsMs} ms`)
}

test('F-14 a request of anyone overtakes the lists of an organization whose networks have long folded names', async (t) => {
  const { app, get, addNetwork } = await setUp(t)
  await Promise.all(Array.from({ length: 300 }, (_, nth) => addNetwork(nth)))
  const stranger = () => app.call('GET', '/edge/client/v1/version')
  await overtake(get, '/core/v3/networks?size=1', stranger)
  await overtake(get, `/core/v3/networks?size=1&findByName=${encodeURIComponent('\uFDFA'.repeat(14))}%25`, stranger)
})

test('F-14 one identity, or its role, is read without the other accounts of the organization', async (t) => {
  const { app, get, addAccount } = await setUp(t)
  await Promise.all(Array.from({ length: ACCOUNTS }, (_, nth) => addAccount(nth)))
  const { id } = (await get('/identity/v1/identities/self')).json
  await overtake(get, '/identity/v1/identities', () => app.call('GET', '/edge/client/v1/version'))
  await overtake(get, '/identity/v1/identities', async () => {
    const one = await get(`/identity/v1/identities/${id}`)
    assert.equal(one.json.name, 'account of boss')
    return one
  })
  await overtake(get, '/identity/v1/api-account-identities', async () => {
    const roles = await get(`/auth/v1/roles?identityId=${id}`)
    assert.deepEqual(
      roles.json.content.map(({ code }: { code: string }) => code),
      ['organization-admin'],
    )
    return roles
  })
})

test('F-14 a request of anyone overtakes the first token after a change of a thousand federated accounts', async (t) => {
  const { app, createOrganization, createProvider, token, call } = await setUpHosted(t)
  const organizationId = await createOrganization('FEDERATED')
  const identityProviderId = await createProvider('cognito', { organizationId })
  const value = 'ab?*'.repeat(125)
  const conditions = { a: value, b: value, c: value, ref: { glob: `refs/${'?'.repeat(50)}*` }, repository: 'acme/app' }
  const add = (nth: number) =>
    app.store.run(
      createApiAccount,
      {
        ...{ id: randomUUID(), organizationId, identityProviderId, kind: 'federated' },
        settings: accountFromBody({ name: `account ${nth}`, conditions }),
      },
      META(app.clock.now()),
    )
  await Promise.all(Array.from({ length: 1_000 }, (_, nth) => add(nth)))
  const bearer = token('cognito', 'boss', { aud: organizationAudience(organizationId) })
  const began = performance.now()
  const first = call('GET', SELF, bearer)
  await setImmediate()
  assert.equal((await app.call('GET', '/edge/client/v1/version')).status, 200)
  const overtakenMs = performance.now() - began
  assert.equal((await first).status, 401)
  const wholeMs = performance.now() - began
  assert.ok(overtakenMs < wholeMs / 2, `it took ${overtakenMs} of ${wholeMs} ms`)
})

test('F-14 an organization whose conditions take long to compare has one token compared at a time, and others do not wait', async (t) => {
  const { app, createOrganization, createProvider, token, call } = await setUpHosted(t, { isAlone: 'controller' })
  const setUpOrganization = async (label: string) => {
    const organizationId = await createOrganization(label)
    const identityProviderId = await createProvider('cognito', { organizationId })
    const add = (name: string, glob: string) => {
      const owners = { id: randomUUID(), organizationId, identityProviderId, kind: 'federated' as const }
      const settings = accountFromBody({ name, conditions: { sub: 'job', groups: { glob } } })
      return app.store.run(createApiAccount, { ...owners, settings }, META(app.clock.now()))
    }
    const self = async (groups: readonly string[], nth: number) => {
      const claims = { aud: organizationAudience(organizationId), sub: 'job', groups, nth }
      return (await call('GET', SELF, token('cognito', 'job', claims))).status
    }
    return { add, self }
  }
  const [busy, other] = [await setUpOrganization('BUSY'), await setUpOrganization('OTHER')]
  for (let nth = 0; nth < 150; nth++) await busy.add(`slow ${nth}`, `*${'a?'.repeat(200)}b${nth}*`)
  await other.add('quick', 'deploy-*')
  const slowGroups = Array.from({ length: 4 }, () => 'a'.repeat(1_000))
  assert.deepEqual([await busy.self(slowGroups, 0), await other.self(['deploy-1'], 0)], [401, 200])
  let ended = 0
  const slow = Array.from({ length: 40 }, async (_, nth) => {
    const status = await busy.self(slowGroups, nth + 1)
    if (status !== 429) ended++
    return status
  })
  assert.equal(await other.self(['deploy-1'], 1), 200)
  assert.ok(ended < 10, `it waited for ${ended} choices of another organization`)
  const statuses = await Promise.all(slow)
  assert.ok(statuses.includes(429))
  for (const status of statuses) assert.ok([401, 429, 503].includes(status), String(status))
  assert.equal(await busy.self(['b'], 50), 401)
})

test('F-14 a login overtakes the writes of an organization, even if it disables a provider with many accounts again and again', async (t) => {
  const { app, providerId, bearer, call, addAccount } = await setUp(t)
  await Promise.all(Array.from({ length: ACCOUNTS }, (_, nth) => addAccount(nth)))
  let answered = 0
  const write = async (nth: number) => {
    const reply = await call('PATCH', `${PROVIDERS}/${providerId}`, bearer, { enabled: nth % 2 === 1 })
    answered++
    return reply.status
  }
  assert.equal(await write(0), 200)
  answered = 0
  const writes = Array.from({ length: WRITES }, (_, nth) => write(nth + 1))
  await app.logIn('admin', ADMIN_PASSWORD)
  assert.ok(answered < WRITES / 2, `the login waited for ${answered} writes`)
  assert.deepEqual(new Set(await Promise.all(writes)), new Set([200]))
})

test('R-22 an organization that changes records without pause is limited, another one and the operator are not', async (t) => {
  const { app, createOrganization, createProvider, createAccount, token, call } = await setUpHosted(t, {
    isAlone: 'controller',
    settings: { config: settingsFile(t, 'limits:\n  changeBurst: 3\n') },
  })
  const organizationOf = async (kind: 'cognito' | 'okta') => {
    const organizationId = await createOrganization(kind.toUpperCase())
    await createAccount(await createProvider(kind, { organizationId }), 'boss', { organizationId })
    const bearer = token(kind, 'boss')
    return async (name: string) => (await call('POST', '/core/v3/networks', bearer, { name, size: 'medium' })).status
  }
  const [busy, other] = [await organizationOf('cognito'), await organizationOf('okta')]
  const statuses = []
  for (const name of ['a', 'b', 'c', 'd']) statuses.push(await busy(name))
  assert.equal(statuses.at(-1), 429)
  assert.deepEqual(new Set(statuses.slice(0, 3)), new Set([await other('a')]))
  app.clock.advance(1_000)
  assert.notEqual(await busy('e'), 429)
})

test('R-22 accounts with lesser roles do not use up the changes by which an administrator removes them', async (t) => {
  const { createOrganization, createProvider, createAccount, token, call, bodyOf } = await setUpHosted(t, {
    isAlone: 'controller',
    settings: { config: settingsFile(t, 'limits:\n  changeBurst: 4\n') },
  })
  const accounts = '/identity/v1/api-account-identities'
  const organizationId = await createOrganization('ACME')
  const identityProviderId = await createProvider('cognito', { organizationId })
  await createAccount(identityProviderId, 'boss', { organizationId })
  const boss = token('cognito', 'boss')
  const make = async (clientId: string, role: string) => {
    const bearer = token('cognito', clientId)
    const body = { name: clientId, identityProviderId, clientId, contactEmail: 'ops@example.com', role }
    return { bearer, id: bodyOf(await call('POST', accounts, boss, { ...body, proofToken: bearer })).id }
  }
  const [reader, builder] = [await make('reader', 'read-only'), await make('builder', 'network-admin')]
  const statuses: number[] = []
  const built: number[] = []
  for (const nth of [1, 2, 3, 4, 5]) {
    statuses.push((await call('POST', '/identity/v1/logout', reader.bearer, {})).status)
    built.push((await call('POST', '/core/v3/networks', builder.bearer, { name: `n${nth}`, size: 'medium' })).status)
  }
  assert.deepEqual(new Set(statuses), new Set([200]))
  assert.equal(built.at(-1), 429)
  for (const { id } of [reader, builder]) {
    const { status } = await call('DELETE', `${accounts}/${id}`, boss)
    assert.ok(status < 300, String(status))
  }
})
