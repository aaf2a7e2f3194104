import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accountIdentityId, DEFAULT_QUOTAS, networkFromBody } from '@countersign/core'
import { mintKey } from '@countersign/testkit'
import type { HostedCaller } from '../../src/hosted/hosted-caller.ts'
import { SessionExchange } from '../../src/hosted/session-exchange.ts'
import { createNetwork } from '../../src/operations/network/create-network.ts'
import type { Reply } from '../http/build-app.ts'
import { until } from '../keyset/fake-time.ts'
import { KINDS, setUpHosted } from './hosted.fixture.ts'

const OPERATOR = '/identity/v1/operator/organizations'
const ACCOUNTS = '/identity/v1/api-account-identities'
const PROVIDERS = '/identity/v1/identity-providers'
const ORGANIZATIONS = '/identity/v1/organizations'
const NETWORKS = '/core/v3/networks'
const SELF = '/identity/v1/identities/self'

/** Two organizations with a machine each, and machines of the organization that owns the controller with each role. */
async function setUp(
  t: Parameters<typeof setUpHosted>[0],
  onFetch?: (url: string) => void,
  options: Parameters<typeof setUpHosted>[1] = {},
) {
  const hosted = await setUpHosted(t, options, onFetch)
  const { app, token, createOrganization, createProvider, createAccount, bodyOf } = hosted
  const make = async (label: string) => {
    const organizationId = await createOrganization(label)
    const provider = await createProvider('cognito', { organizationId })
    const account = await createAccount(provider, `${label}-machine`, { organizationId })
    return { organizationId, provider, account, bearer: token('cognito', `${label}-machine`) }
  }
  const [acme, other] = [await make('ACME'), await make('OTHER')]
  const own = await createProvider('cognito')
  for (const role of ['admin', 'network-admin', 'read-only']) await createAccount(own, `own-${role}`, { role })
  const ownBearer = (role: string): string => token('cognito', `own-${role}`)
  const ownId: string = bodyOf(await app.admin('GET', '/identity/v1/organization'), 200).id
  const at = (path: string, id = acme.organizationId): string => `${OPERATOR}/${id}/${path}`
  return { ...hosted, acme, other, ownBearer, ownId, at }
}

const reasonIn = ({ json }: Reply): string => json.errors?.[0]

test('the operator lists organizations with usage and quotas, and nothing of their content', async (t) => {
  // Another node would store a use of its own a moment later.
  const { app, call, acme, other, ownId, ownBearer, bodyOf } = await setUp(t, undefined, { isAlone: 'node' })
  for (const name of ['a', 'b']) bodyOf(await call('POST', NETWORKS, acme.bearer, { name }))
  bodyOf(
    await call(
      'DELETE',
      `${NETWORKS}/${bodyOf(await call('POST', NETWORKS, acme.bearer, { name: 'c' })).id}`,
      acme.bearer,
    ),
    204,
  )
  // Uses of accounts are stored a moment later.
  const uses = app.store.db.selectFrom('api_account_uses').select('used_at').where('account_id', '=', acme.account)
  await until(async () => (await uses.executeTakeFirst())?.used_at != null)
  const list = bodyOf(await app.admin('GET', OPERATOR), 200)
  assert.deepEqual(list.map(({ label }: { label: string }) => label).toSorted(), ['ACME', 'LOCAL', 'OTHER'])
  const shown = list.find(({ id }: { id: string }) => id === acme.organizationId)
  const { lastUsedAt, ...usage } = shown.usage
  assert.deepEqual(usage, { networks: 2, accounts: 1, providers: 1, clients: 1 })
  assert.ok(Math.abs(lastUsedAt.epochSecond - app.clock.now() / 1000) < 60)
  const unused = list.find(({ id }: { id: string }) => id === other.organizationId)
  assert.equal(unused.usage.lastUsedAt, null)
  assert.deepEqual(shown.quotas, DEFAULT_QUOTAS)
  assert.deepEqual([shown.active, shown.suspension, shown.isOperator], [true, null, false])
  assert.equal(list.find(({ id }: { id: string }) => id === ownId).isOperator, true)
  const text = JSON.stringify(list)
  for (const secret of [acme.account, acme.provider, 'ACME-machine', other.account])
    assert.equal(text.includes(secret), false)
  const one = await call('GET', `${OPERATOR}/${acme.organizationId}`, ownBearer('admin'))
  assert.deepEqual(bodyOf(one, 200), shown)
  assert.match(one.headers.etag ?? '', /^"[0-9a-z]+"$/)
  assert.equal((await app.admin('GET', `${OPERATOR}/none`)).status, 404)
  const names = async (query: string) =>
    bodyOf(await app.admin('GET', `${OPERATOR}?${query}`), 200).map(({ label }: { label: string }) => label)
  assert.deepEqual(await names('size=1&page=0'), ['ACME'])
  assert.deepEqual(await names('name=other%25'), ['OTHER'])
  assert.deepEqual(await names('name=other%25&size=1&page=0'), ['OTHER'], 'filtered before it is paged')
  assert.deepEqual(await names('name=%25corp&size=1&page=1'), ['OTHER'])
  assert.deepEqual(await names('name=other%25&size=1&page=1'), [])
  assert.deepEqual(await names('active=false'), [])
  assert.equal((await app.admin('GET', `${OPERATOR}?active=maybe`)).status, 400)
})

test('N-13 only an administrator of the organization that owns the controller is the operator', async (t) => {
  const { app, call, acme, other, ownBearer, at } = await setUp(t)
  const routes = app.controller.http.routes.filter(({ paths }) => paths.some((path) => path.startsWith(OPERATOR)))
  assert.equal(routes.length, 7)
  const callers = {
    acme: acme.bearer,
    'network-admin': ownBearer('network-admin'),
    'read-only': ownBearer('read-only'),
  }
  for (const { method, paths } of routes) {
    for (const path of paths) {
      for (const [name, bearer] of Object.entries(callers)) {
        for (const id of [acme.organizationId, other.organizationId, 'none']) {
          const { status } = await call(method, path.replace(':id', id), bearer)
          assert.deepEqual([name, method, path, status], [name, method, path, 403])
        }
      }
      assert.notEqual((await call(method, path.replace(':id', 'none'), ownBearer('admin'))).status, 403)
      assert.equal((await call(method, path.replace(':id', 'none'))).status, 401)
    }
  }
  assert.equal((await call('GET', SELF, other.bearer)).status, 200, 'nothing was suspended')
  assert.equal((await call('GET', at('quotas'), ownBearer('admin'))).status, 200)
})

test('a suspended organization is refused from the next request on, with the reason, and resumed as it was', async (t) => {
  const { app, call, acme, other, at, bodyOf, createOrganization } = await setUp(t)
  assert.equal((await call('GET', SELF, acme.bearer)).status, 200)
  const suspended = bodyOf(await app.admin('POST', at('suspend'), { reason: 'no payment' }), 200)
  assert.deepEqual([suspended.active, suspended.suspension.reason], [false, 'no payment'])
  for (const [method, path, body] of [
    ['GET', SELF, undefined],
    ['GET', NETWORKS, undefined],
    ['POST', NETWORKS, { name: 'n' }],
    ['DELETE', `${ACCOUNTS}/${acme.account}`, undefined],
  ] as const) {
    const refused = await call(method, path, acme.bearer, body)
    assert.equal(refused.status, 401, path)
    assert.equal(reasonIn(refused), 'the organization is suspended by the operator of this controller: no payment')
    assert.match(refused.headers['www-authenticate'] ?? '', /error="invalid_token"/)
  }
  assert.equal((await call('GET', SELF, other.bearer)).status, 200)
  const again = bodyOf(await app.admin('POST', at('suspend')), 200)
  assert.deepEqual([again.suspension.at, again.suspension.reason], [suspended.suspension.at, null])
  assert.equal(
    reasonIn(await call('GET', SELF, acme.bearer)),
    'the organization is suspended by the operator of this controller',
  )
  const resumed = bodyOf(await app.admin('POST', at('resume')), 200)
  assert.deepEqual([resumed.active, resumed.suspension], [true, null])
  assert.equal((await call('GET', SELF, acme.bearer)).status, 200)
  assert.equal((await app.admin('POST', at('resume'))).status, 200, 'resuming an active one changes nothing')
  const empty = await createOrganization('EMPTY')
  assert.equal((await app.admin('POST', at('suspend', empty))).status, 200)
})

test('only a valid token of the organization learns that it is suspended', async (t) => {
  const { app, call, token, otherKey, at } = await setUp(t)
  await app.admin('POST', at('suspend'), { reason: 'no payment' })
  const forged = await call('GET', SELF, token('cognito', 'ACME-machine', {}, otherKey))
  const unknown = await call('GET', SELF, token('cognito', 'no machine'))
  for (const { status, text } of [forged, unknown]) {
    assert.equal(status, 401)
    assert.equal(text.includes('suspended'), false)
  }
  const valid = await call('GET', SELF, token('cognito', 'ACME-machine'))
  assert.deepEqual([valid.status, valid.text.includes('suspended')], [401, true])
})

test("the operator's own organization cannot be suspended, and no organization changes its own state", async (t) => {
  const { app, call, acme, ownId, at, bodyOf } = await setUp(t)
  const refused = await app.admin('POST', at('suspend', ownId))
  assert.deepEqual([refused.status, (await app.admin('GET', '/identity/v1/organization')).json.active], [400, true])
  const own = `${ORGANIZATIONS}/${acme.organizationId}`
  const { active, ...read } = bodyOf(await call('GET', own, acme.bearer), 200)
  assert.equal(active, true)
  for (const method of ['PATCH', 'PUT']) {
    const changed = await call(method, own, acme.bearer, { ...read, active: false })
    assert.deepEqual([method, changed.status, changed.json.field], [method, 400, 'active'])
    assert.equal((await call(method, own, acme.bearer, { ...read, active: true })).status, 200)
    assert.equal((await call(method, own, acme.bearer, read)).status, 200)
  }
  const inactive = await app.admin('POST', ORGANIZATIONS, { name: 'n', label: 'N', active: false })
  assert.deepEqual([inactive.status, inactive.json.field], [400, 'active'])
})

/** What authenticates the machine of an organization. */
function credentialOf(label: string) {
  return { issuer: KINDS.cognito.record.issuer, clientId: `${label}-machine`, providerRevision: 1 }
}

test('suspending ends the sessions of the organization, and resuming does not bring them back', async (t) => {
  const { app, acme, at } = await setUp(t)
  // Only accounts of the organization that owns the controller can exchange their token there; here another one does.
  const { store, clock } = app
  const limits = { idleMs: 3_600_000, maxMs: 3_600_000, maxPerIdentity: 10 }
  const sessions = new SessionExchange({
    store,
    clock,
    events: { publish: () => {}, toRecord: () => undefined },
    ...limits,
  })
  const caller = { account: { id: acme.account, credential: credentialOf('ACME') } } as unknown as HostedCaller
  const exchange = async () => (await sessions.exchange(caller, { clientAddress: '192.0.2.1' })).token
  const session = await exchange()
  const use = async (value: string) =>
    (await app.call('GET', '/edge/management/v1/current-identity', undefined, { session: value })).status
  assert.equal(await use(session), 200)
  await app.admin('POST', at('suspend'))
  assert.equal(await use(session), 401)
  await assert.rejects(exchange(), { code: 'UNAUTHORIZED' })
  await app.admin('POST', at('resume'))
  assert.equal(await use(session), 401)
  assert.equal(await use(await exchange()), 200)
})

test('N-01 a write of an organization that is suspended while it waits is refused', async (t) => {
  const { app, acme, at } = await setUp(t)
  const write = (name: string) => {
    const args = {
      id: name,
      organizationId: acme.organizationId,
      settings: networkFromBody({ name }),
      productVersion: '1',
    }
    const meta = { actorId: accountIdentityId(acme.account), credential: credentialOf('ACME'), now: app.clock.now() }
    return app.store.run(createNetwork, args, { ...meta, organizationId: acme.organizationId })
  }
  await write('before')
  await app.admin('POST', at('suspend'))
  await assert.rejects(write('meanwhile'), { code: 'UNAUTHORIZED' })
  await app.admin('POST', at('resume'))
  await write('after')
})

test('the keys of a suspended organization are not fetched, those of others are, and resuming fetches again', async (t) => {
  const fetched: string[] = []
  const { app, call, acme, other, at, token } = await setUp(t, (url) => fetched.push(url))
  const unknownKid = (label: string) => token('cognito', `${label}-machine`, {}, mintKey('P-256', 'a new kid'))
  const fetches = async (label: string): Promise<number> => {
    const before = fetched.length
    await call('GET', SELF, unknownKid(label))
    return fetched.length - before
  }
  assert.equal((await call('GET', SELF, acme.bearer)).status, 200)
  assert.equal((await call('GET', SELF, other.bearer)).status, 200)
  await app.admin('POST', at('suspend'))
  assert.equal(await fetches('ACME'), 0)
  assert.equal(await fetches('OTHER'), 1)
  await app.admin('POST', at('resume'))
  app.clock.advance(60_000)
  assert.equal((await call('GET', SELF, token('cognito', 'ACME-machine'))).status, 200)
})

test('quotas are set for each organization, and decided in the transaction of each write', async (t) => {
  const { app, call, token, acme, other, at, bodyOf } = await setUp(t)
  assert.deepEqual(bodyOf(await app.admin('GET', at('quotas')), 200), {
    ...{ networks: null, accounts: null, providers: null, clientsPerAccount: null },
    effective: DEFAULT_QUOTAS,
  })
  const set = { networks: 2, accounts: 2, providers: 2, clientsPerAccount: 2 }
  assert.deepEqual(bodyOf(await app.admin('PUT', at('quotas'), set), 200), { ...set, effective: set })
  const makers: Readonly<Record<string, (bearer: string, nth: number) => Promise<Reply>>> = {
    networks: (bearer, nth) => call('POST', NETWORKS, bearer, { name: `network ${nth}` }),
    accounts: (bearer, nth) => {
      const clientId = `client ${nth} ${bearer === acme.bearer}`
      const identityProviderId = bearer === acme.bearer ? acme.provider : other.provider
      const proofToken = token('cognito', clientId)
      return call('POST', ACCOUNTS, bearer, { name: clientId, identityProviderId, clientId, proofToken })
    },
    providers: (bearer, nth) => {
      const issuer = 'https://idp.example'
      const urls = { jwksUri: `${issuer}/jwks`, tokenUrl: `${issuer}/token` }
      return call('POST', PROVIDERS, bearer, { name: `p${nth}`, kind: 'oidc', issuer, audience: 'a', ...urls })
    },
    clientsPerAccount: (bearer, nth) => {
      const clientId = `rotated ${nth} ${bearer === acme.bearer}`
      const { account } = bearer === acme.bearer ? acme : other
      return call('POST', `${ACCOUNTS}/${account}/rotate`, bearer, { clientId, proofToken: token('cognito', clientId) })
    },
  }
  for (const [name, make] of Object.entries(makers)) {
    const replies = await Promise.all(Array.from({ length: 4 }, (_, nth) => make(acme.bearer, nth)))
    const had = name === 'networks' ? 0 : 1
    const made = replies.filter(({ status }) => status < 300)
    assert.deepEqual([name, made.length], [name, 2 - had])
    for (const { status, json } of replies.filter((reply) => reply.status >= 300)) {
      assert.deepEqual(
        [name, status, json.field],
        [name, 400, name === 'clientsPerAccount' ? 'clientId' : 'organizationId'],
      )
    }
    assert.ok((await make(other.bearer, 1)).status < 300, 'others have the defaults')
    assert.ok((await make(other.bearer, 2)).status < 300)
  }
  bodyOf(await app.admin('PUT', at('quotas'), { networks: 1 }), 200)
  assert.equal(bodyOf(await call('GET', NETWORKS, acme.bearer), 200).page.totalElements, 2, 'what there is stays')
  const patched = bodyOf(await app.admin('PATCH', at('quotas'), { networks: null }), 200)
  assert.deepEqual([patched.networks, patched.accounts, patched.effective.networks], [null, 2, DEFAULT_QUOTAS.networks])
  assert.equal((await call('POST', NETWORKS, acme.bearer, { name: 'one more' })).status, 201)
  assert.equal((await app.admin('PUT', at('quotas'), patched)).status, 200, 'what was read can be sent back')
  for (const wrong of [
    { networks: -1 },
    { networks: 10_001 },
    { networks: 1.5 },
    { accounts: 'many' },
    { network: 1 },
  ]) {
    assert.equal((await app.admin('PATCH', at('quotas'), wrong)).status, 400, JSON.stringify(wrong))
  }
})

test('N-12 operator actions compare If-Match too', async (t) => {
  const { app, at, bodyOf, acme } = await setUp(t)
  const versionOf = async () => (await app.admin('GET', `${OPERATOR}/${acme.organizationId}`)).headers.etag ?? ''
  const send = (method: string, path: string, body: unknown, ifMatch: string) =>
    app.admin(method, at(path), body, { session: app.adminSession, headers: { 'if-match': ifMatch } })
  const seen = await versionOf()
  bodyOf(await send('PATCH', 'quotas', { networks: 5 }, seen), 200)
  for (const [method, path, body] of [
    ['POST', 'suspend', {}],
    ['POST', 'resume', undefined],
    ['PUT', 'quotas', {}],
    ['PATCH', 'quotas', { networks: 6 }],
  ] as const) {
    assert.equal((await send(method, path, body, seen)).status, 412, `${method} ${path}`)
    assert.equal((await send(method, path, body, await versionOf())).status, 200, `${method} ${path}`)
  }
})
