import assert from 'node:assert/strict'
import { isIP } from 'node:net'
import { type TestContext, test } from 'node:test'
import { networkFromBody } from '@countersign/core'
import { unusedAccountEvent } from '../../src/events/api-account-event.ts'
import { AcceptedTokens } from '../../src/hosted/accepted-tokens.ts'
import type { VerifiedAccount } from '../../src/hosted/access-verdict.ts'
import { reportUnusedAccounts } from '../../src/hosted/unused-accounts.ts'
import { beginJob } from '../../src/operations/account-job/begin-job.ts'
import { settleJob } from '../../src/operations/account-job/settle-job.ts'
import { rotateApiAccount } from '../../src/operations/api-account/rotate-api-account.ts'
import { createNetwork } from '../../src/operations/network/create-network.ts'
import { createSealing } from '../../src/platform/keys/sealing.ts'
import { listen, openStream } from '../events/open-stream.ts'
import { TEST_SEALING_KEY } from '../http/build-app.ts'
import { createIdentity, createPassword } from '../http/identities.fixture.ts'
import { setUpHosted } from './hosted.fixture.ts'

const EVENTS = '/identity/v1/audit-events'
const NETWORKS = '/core/v3/networks'
const ACCOUNTS = '/identity/v1/api-account-identities'
const ORGANIZATIONS = '/identity/v1/organizations'
const DECISIONS = '/edge/management/v1/auth-decisions'
const JOBS = '/identity/v1/account-jobs'
const PROVIDERS = '/identity/v1/identity-providers'
const SELF = '/identity/v1/identities/self'

interface AuditEvent {
  readonly id: string
  readonly at: string
  readonly type: string
  readonly actor: { readonly type: string; readonly id: string | null; readonly name: string | null } | null
  readonly target: { readonly type: string; readonly id: string; readonly name: string | null } | null
  readonly changed: readonly string[]
  readonly address: string | null
  readonly reason: string | null
  readonly traceId: string | null
}

const ACCOUNT: VerifiedAccount = {
  id: 'account',
  organizationId: 'organization',
  identityProviderId: 'provider',
  role: 'admin',
  isActive: true,
  expiresAt: null,
  suspension: undefined,
  credential: { accountRevision: 1, providerRevision: 1 },
}

/** Two organizations that trust the same issuer, with a machine each. */
async function setUp(t: TestContext) {
  // Another node stores its decisions a moment later.
  const hosted = await setUpHosted(t, { isAlone: 'controller' })
  const { app, call, token, bodyOf, createOrganization, createProvider, createAccount } = hosted
  const make = async (label: string) => {
    const organizationId = await createOrganization(label)
    const provider = await createProvider('cognito', { organizationId })
    const account = await createAccount(provider, `${label}-machine`, { organizationId })
    const reader = { name: `${label} reader`, identityProviderId: provider, clientId: `${label}-reader` }
    const bearer = token('cognito', `${label}-machine`)
    bodyOf(await call('POST', ACCOUNTS, bearer, { ...reader, proofToken: token('cognito', `${label}-reader`) }))
    return { organizationId, provider, account, bearer, readerBearer: token('cognito', `${label}-reader`) }
  }
  const [acme, other] = [await make('ACME'), await make('OTHER')]
  const eventsOf = async (bearer: string, query = ''): Promise<AuditEvent[]> =>
    bodyOf(await call('GET', `${EVENTS}?${query}`, bearer), 200)
  return { ...hosted, app, acme, other, eventsOf }
}

const typesOf = (events: readonly AuditEvent[]): string[] => events.map(({ type }) => type)

test('an organization reads who changed what, when and from where, also what is deleted', async (t) => {
  const { app, call, acme, eventsOf, bodyOf } = await setUp(t)
  app.clock.advance(1_000)
  const { id } = bodyOf(await call('POST', NETWORKS, acme.bearer, { name: 'plant' }))
  app.clock.advance(1_000)
  bodyOf(await call('PATCH', `${NETWORKS}/${id}`, acme.bearer, { region: 'eu', size: 'large' }), 200)
  app.clock.advance(1_000)
  bodyOf(await call('DELETE', `${NETWORKS}/${id}`, acme.bearer), 204)
  const events = await eventsOf(acme.bearer, 'type=network')
  assert.deepEqual(typesOf(events), ['network.deleted', 'network.updated', 'network.created'])
  assert.deepEqual(
    events.map(({ changed }) => changed.toSorted()),
    [[], ['region', 'size'], []],
  )
  for (const { actor, target, address } of events) {
    assert.deepEqual(actor, { type: 'api-account', id: acme.account, name: 'account of ACME-machine' })
    assert.deepEqual(target, { type: 'network', id, name: 'plant' })
    assert.notEqual(isIP(address ?? ''), 0, address ?? '')
  }
  const age = app.clock.now() - Date.parse(events[0]?.at ?? '')
  assert.ok(age >= 0 && age < 60_000, events[0]?.at)
  const readers = await eventsOf(acme.readerBearer, 'type=network')
  assert.deepEqual(readers, events, 'every role reads them')
})

test('the operator is seen without a name, and members of the own organization with theirs', async (t) => {
  const { app, acme, eventsOf, bodyOf } = await setUp(t)
  const made = await eventsOf(acme.bearer, 'type=organization,identity-provider')
  assert.deepEqual(typesOf(made).toSorted(), ['identity-provider.created', 'organization.created'])
  for (const { actor, address } of made) {
    assert.deepEqual([actor, address], [{ type: 'operator', id: null, name: null }, null])
  }
  bodyOf(await app.admin('POST', `/identity/v1/operator/organizations/${acme.organizationId}/suspend`), 200)
  bodyOf(await app.admin('POST', `/identity/v1/operator/organizations/${acme.organizationId}/resume`), 200)
  const [resumed, suspended] = await eventsOf(acme.bearer, 'type=organization.updated')
  assert.deepEqual(
    [resumed, suspended].map((event) => event?.changed.includes('active')),
    [true, true],
  )
  assert.deepEqual(
    await eventsOf(acme.bearer, 'type=identity-provider.updated'),
    [],
    'only what was changed is reported',
  )
  bodyOf(await app.admin('POST', NETWORKS, { name: 'own' }))
  const own: AuditEvent[] = bodyOf(await app.admin('GET', `${EVENTS}?type=network.created`), 200)
  assert.deepEqual([own[0]?.actor?.type, own[0]?.actor?.name, own[0]?.target?.name], ['user', 'admin', 'own'])
})

test("N-13 the operator's account and address are hidden, those of members are shown, also of deleted ones", async (t) => {
  const { app, call, token, acme, eventsOf, bodyOf, createProvider, createAccount } = await setUp(t)
  const operator = await createAccount(await createProvider('auth0'), 'operator')
  const quotas = `/identity/v1/operator/organizations/${acme.organizationId}/quotas`
  bodyOf(await call('PATCH', quotas, token('auth0', 'operator'), { networks: 7 }), 200)
  const reader = (await eventsOf(acme.bearer, 'type=api-account.created')).find(
    ({ target }) => target?.name === 'ACME reader',
  )?.target?.id
  bodyOf(await call('PATCH', `${ACCOUNTS}/${reader}`, acme.bearer, { role: 'admin' }), 200)
  bodyOf(await call('POST', NETWORKS, acme.readerBearer, { name: 'plant' }))
  const check = async () => {
    const [byOperator] = await eventsOf(acme.bearer, 'type=organization.updated')
    assert.deepEqual([byOperator?.actor, byOperator?.address], [{ type: 'operator', id: null, name: null }, null])
    const [byMember] = await eventsOf(acme.bearer, 'type=network.created')
    assert.deepEqual(byMember?.actor, { type: 'api-account', id: reader, name: 'ACME reader' })
    assert.notEqual(byMember?.address, null)
  }
  await check()
  bodyOf(await app.admin('DELETE', `${ACCOUNTS}/${operator}`), 204)
  bodyOf(await call('DELETE', `${ACCOUNTS}/${reader}`, acme.bearer), 204)
  await check()
})

test('an administrator that was deleted stays a member in the events of the own organization', async (t) => {
  const { app, bodyOf } = await setUp(t)
  const id = await createIdentity(app, { isAdmin: true })
  const { username, password } = await createPassword(app, id)
  const session = { session: await app.logIn(username, password) }
  bodyOf(await app.call('POST', NETWORKS, { name: 'own' }, session))
  const made = async () => bodyOf(await app.admin('GET', `${EVENTS}?type=network.created`), 200)[0]
  const [{ actor, address }] = [await made()]
  assert.deepEqual([actor.type, actor.name === null, address === null], ['user', false, false])
  assert.equal((await app.admin('DELETE', `/edge/management/v1/identities/${id}`)).status, 200)
  const later = await made()
  assert.deepEqual([later.actor, later.address], [{ ...actor, name: null }, address])
})

test('accepted tokens are recorded once an hour for each machine and address, refused ones with the reason', async (t) => {
  const { app, call, token, otherKey, acme, eventsOf } = await setUp(t)
  for (let nth = 0; nth < 5; nth++) await call('GET', SELF, acme.bearer)
  const accepted = async () =>
    (await eventsOf(token('cognito', 'ACME-reader'), 'type=token.accepted')).filter(
      ({ actor }) => actor?.id === acme.account,
    )
  assert.equal((await accepted()).length, 1)
  const [first] = await accepted()
  assert.deepEqual([first?.actor?.name, first?.reason, first?.target], ['account of ACME-machine', null, null])
  app.clock.advance(3_600_000)
  await call('GET', SELF, token('cognito', 'ACME-machine'))
  assert.equal((await accepted()).length, 2)
  const expired = await call('GET', SELF, token('cognito', 'ACME-machine', { exp: 1 }))
  const forged = await call('GET', SELF, token('cognito', 'ACME-machine', {}, otherKey))
  const refused = await eventsOf(token('cognito', 'ACME-reader'), 'type=token.refused')
  const reasons = new Map(refused.map(({ traceId, reason }) => [traceId, reason]))
  assert.equal(reasons.get(expired.json.traceId), 'token-expired')
  assert.ok(reasons.get(forged.json.traceId), 'a forged token that names an account of the organization')
})

test('an accepted token that sampling leaves out is recorded at its next use', () => {
  let isKept = false
  const recorded: string[] = []
  const record = ({ id }: { readonly id: string }): boolean => {
    if (isKept) recorded.push(id)
    return isKept
  }
  const tokens = new AcceptedTokens({ record }, { now: () => 1_000_000 })
  const note = (id: string) => tokens.note(ACCOUNT, { id, address: '192.0.2.1' })
  note('left out')
  isKept = true
  for (const id of ['kept', 'again']) note(id)
  assert.deepEqual(recorded, ['kept'])
})

test('N-13 members of another organization, its accounts and the operator see nothing of it', async (t) => {
  const { app, call, token, acme, other, eventsOf, bodyOf } = await setUp(t)
  bodyOf(await call('POST', NETWORKS, acme.bearer, { name: 'secret plant' }))
  bodyOf(await call('PATCH', `${ORGANIZATIONS}/${acme.organizationId}`, acme.bearer, { name: 'Acme 2' }), 200)
  const refused = await call('GET', SELF, token('cognito', 'ACME-machine', { exp: 1 }))
  const own = await eventsOf(acme.bearer, 'size=1000')
  assert.ok(own.length > 6)
  assert.ok(own.some(({ traceId }) => traceId === refused.json.traceId))
  const traces = [acme.organizationId, acme.provider, acme.account, 'secret plant', 'Acme 2', refused.json.traceId]
  const views = [
    await call('GET', `${EVENTS}?size=1000`, other.bearer),
    await call('GET', `${EVENTS}?size=1000`, other.readerBearer),
    await app.admin('GET', `${EVENTS}?size=1000`),
    await app.admin('GET', `${DECISIONS}?limit=500`),
    await call('GET', `${EVENTS}?size=1000&organizationId=${acme.organizationId}`, other.bearer),
    await call('GET', `${EVENTS}?size=1000&before=${own[0]?.id}`, other.bearer),
  ]
  for (const { status, text } of views) {
    assert.equal(status, 200, text)
    for (const trace of traces) assert.equal(text.includes(trace), false, `${trace} in ${text}`)
    for (const { id } of own) assert.equal(text.includes(id), false)
  }
  assert.equal((await app.admin('GET', `${DECISIONS}/${refused.json.traceId}`)).status, 404)
  assert.equal((await call('GET', EVENTS)).status, 401)
})

test('refused tokens of the own organization stay decisions of the controller; accepted ones are not among them', async (t) => {
  const { app, call, token, createProvider, createAccount, bodyOf } = await setUp(t)
  await createAccount(await createProvider('auth0'), 'own-machine')
  assert.equal((await call('GET', SELF, token('auth0', 'own-machine'))).status, 200)
  const refused = await call('GET', SELF, token('auth0', 'own-machine', { exp: 1 }))
  const unknown = await call('GET', SELF, token('cognito', 'no machine'))
  const { data } = bodyOf(await app.admin('GET', `${DECISIONS}?limit=500`), 200)
  const reasons = data.map(({ reason }: { reason: string }) => reason)
  assert.deepEqual(reasons.toSorted(), ['account-unknown', 'token-expired'])
  for (const { json } of [refused, unknown]) {
    assert.equal((await app.admin('GET', `${DECISIONS}/${json.traceId}`)).status, 200)
  }
})

test('N-13 the event stream of the controller has no events of other organizations, for any caller', async (t) => {
  const { app, call, token, acme, bodyOf } = await setUp(t)
  const port = await listen(app)
  const id = await createIdentity(app, { permissions: ['admin_readonly'] })
  const { username, password } = await createPassword(app, id)
  for (const [nth, session] of [await app.logIn(username, password), app.adminSession].entries()) {
    const stream = await openStream(t, port, { session })
    bodyOf(await call('POST', NETWORKS, acme.bearer, { name: `plant ${nth}` }))
    await call('GET', SELF, token('cognito', 'ACME-machine', { exp: 1 }))
    const shown = bodyOf(await app.admin('POST', NETWORKS, { name: `own ${nth}` })).id
    await stream.until(({ data }) => data.finalState?.id === shown)
    const text = JSON.stringify(stream.events())
    for (const trace of [acme.organizationId, acme.account, 'plant']) assert.equal(text.includes(trace), false, text)
    stream.close()
  }
})

test('N-13 an organization is warned of its unused accounts, and the event stream shows only those of the own one', async (t) => {
  const { app, acme, other, token, eventsOf, createProvider, createAccount } = await setUp(t)
  const own = await createAccount(await createProvider('auth0'), 'own-machine')
  const reader = await createPassword(app, await createIdentity(app, { permissions: ['admin_readonly'] }))
  const port = await listen(app)
  app.clock.advance(90 * 86_400_000)
  const stream = await openStream(t, port, { session: await app.logIn(reader.username, reader.password) })
  const { store, clock, controller } = app
  await reportUnusedAccounts({ store, clock, events: controller.events, days: 90 })
  // The last event of the stream, so that all others have arrived.
  controller.events.publish(unusedAccountEvent({ id: 'last', name: '', organizationId: '', usedAt: null }, 90))
  await stream.until(({ data }) => data.api_account_id === 'last')
  const shown = stream.events().map(({ data }) => data.api_account_id)
  assert.deepEqual(shown.filter(Boolean), [own, 'last'])
  for (const [label, { account }] of Object.entries({ ACME: acme, OTHER: other })) {
    const events = await eventsOf(token('cognito', `${label}-machine`), 'type=api-account.unused')
    const targets = events.map(({ target }) => target?.name).toSorted()
    assert.deepEqual(targets, [`${label} reader`, `account of ${label}-machine`])
    assert.ok(events.some(({ target }) => target?.id === account))
    for (const { actor, changed, address } of events) {
      assert.deepEqual([actor?.type, changed, address], ['system', [], null])
    }
  }
})

test('events are paged from the newest on and filtered by time and type', async (t) => {
  const { app, call, acme, eventsOf } = await setUp(t)
  const start = app.clock.now() - 10_000
  for (let nth = 0; nth < 8; nth++) {
    const settings = networkFromBody({ name: `network ${nth}` })
    const args = { id: `network-${nth}`, organizationId: acme.organizationId, settings, productVersion: '1' }
    // Four in each millisecond.
    await app.store.run(createNetwork, args, { actorId: 'system', now: start + Math.floor(nth / 4) })
    await call('GET', SELF, `${acme.bearer}x`)
  }
  const all = await eventsOf(acme.bearer, 'size=1000')
  const paged: AuditEvent[] = []
  for (let last = ''; ; ) {
    const page = await eventsOf(acme.bearer, `size=3${last && `&before=${last}`}`)
    paged.push(...page)
    last = page.at(-1)?.id ?? ''
    if (page.length < 3) break
  }
  assert.deepEqual(paged, all)
  assert.deepEqual(
    all
      .map(({ at }) => at)
      .toSorted()
      .toReversed(),
    all.map(({ at }) => at),
  )
  const second = new Date(start + 1).toISOString()
  const between = await eventsOf(acme.bearer, `type=network.created&from=${second}&to=${second}`)
  assert.deepEqual(
    between.map(({ target }) => target?.name),
    ['network 7', 'network 6', 'network 5', 'network 4'],
  )
  assert.deepEqual(between[0]?.actor, { type: 'system', id: null, name: null })
  assert.deepEqual(await eventsOf(acme.bearer, `from=${encodeURIComponent('2100-01-01T00:00:00+02:00')}`), [])
  for (const query of ['type=secrets', 'from=yesterday', 'to=1', 'before=x', 'size=0', 'size=x', 'type=network,']) {
    assert.equal((await call('GET', `${EVENTS}?${query}`, acme.bearer)).status, 400, query)
  }
})

test('N-13 picked up credentials, dismissed jobs and tests of a connection are events for members only', async (t) => {
  const { app, call, acme, other, eventsOf, bodyOf } = await setUp(t)
  const { organizationId, provider: identityProviderId, account: accountId } = acme
  const system = { actorId: 'system', now: app.clock.now() }
  const sealedCredentials = createSealing(TEST_SEALING_KEY).seal('{}', `credentials ${accountId}`)
  const credential = { secretOf: '', replaced: [] }
  const rotation = { id: accountId, organizationId, credential, overlapMs: 60_000, sealedCredentials }
  await app.store.run(rotateApiAccount, rotation, system)
  const job = { id: 'job-1', organizationId, identityProviderId, accountId: 'x', accountName: 'nightly' }
  await app.store.run(beginJob, { ...job, kind: 'create', input: '{}' }, system)
  const change = { state: 'failed', error: 'HTTP 500', dueAt: app.clock.now() + 60_000 } as const
  await app.store.run(settleJob, { id: job.id, attempts: 0, change }, system)

  app.clock.advance(1_000)
  const since = new Date(app.clock.now()).toISOString()
  const calls = [
    ['api-account.picked-up', 'POST', `${ACCOUNTS}/${accountId}/pick-up`, 200],
    ['account-job.dismissed', 'DELETE', `${JOBS}/${job.id}`, 204],
    ['identity-provider.tested', 'POST', `${PROVIDERS}/${identityProviderId}/test`, 200],
  ] as const
  const { name: providerName } = bodyOf(await call('GET', `${PROVIDERS}/${identityProviderId}`, acme.bearer), 200)
  const targets = {
    'api-account.picked-up': { type: 'api-account', id: accountId, name: 'account of ACME-machine' },
    'account-job.dismissed': { type: 'account-job', id: job.id, name: 'nightly' },
    'identity-provider.tested': { type: 'identity-provider', id: identityProviderId, name: providerName },
  }
  for (const [type, method, path, status] of calls) {
    assert.equal((await call(method, path, other.bearer)).status, 404, 'another organization changes nothing')
    assert.deepEqual(await eventsOf(acme.bearer, `type=${type}`), [], 'what is refused is no event')
    assert.equal((await call(method, path, acme.bearer)).status, status, path)
    const [event, ...more] = await eventsOf(acme.bearer, `type=${type}&from=${since}`)
    assert.deepEqual([event?.type, more.length], [type, 0])
    assert.deepEqual(event?.target, targets[type])
    assert.deepEqual([event?.actor?.id, event?.changed], [accountId, []])
    assert.deepEqual(await eventsOf(other.bearer, `type=${type}`), [])
    assert.deepEqual(bodyOf(await app.admin('GET', `${EVENTS}?type=${type}`), 200), [], 'nor does the operator see it')
  }
})

test('events name changed members as the API does, and a changed secret, never its value', async (t) => {
  const { app, call, acme, eventsOf, bodyOf } = await setUp(t)
  const operator = `/identity/v1/operator/organizations/${acme.organizationId}`
  const lastOf = async (type: string) => (await eventsOf(acme.bearer, `type=${type}`))[0]?.changed
  bodyOf(await app.admin('PATCH', `${operator}/quotas`, { networks: 7, clientsPerAccount: 3 }), 200)
  assert.deepEqual(await lastOf('organization.updated'), ['quotas.networks', 'quotas.clientsPerAccount'])
  bodyOf(await app.admin('POST', `${operator}/suspend`, { reason: 'unpaid' }), 200)
  bodyOf(await app.admin('POST', `${operator}/resume`), 200)
  assert.deepEqual((await lastOf('organization.updated'))?.toSorted(), ['active', 'suspension'])

  const path = `${PROVIDERS}/${acme.provider}`
  const settings = { kind: 'cognito', accessKeyId: 'AKIAEXAMPLE', scope: 'api/all' }
  const patch = async (administration: object) =>
    bodyOf(await call('PATCH', path, acme.bearer, { administration }), 200)
  await patch({ ...settings, secretAccessKey: 'first-secret' })
  assert.deepEqual(await lastOf('identity-provider.updated'), ['administration', 'administration.secretAccessKey'])
  await patch({ ...settings, secretAccessKey: 'second-secret' })
  assert.deepEqual(await lastOf('identity-provider.updated'), ['administration.secretAccessKey'])
  await patch({ ...settings, scope: 'api/other' })
  assert.deepEqual(await lastOf('identity-provider.updated'), ['administration'])
  const rows = await app.store.db.selectFrom('change_log').selectAll().execute()
  assert.equal(/first-secret|second-secret/.test(JSON.stringify(rows)), false)
})

test('a change of one record is one event, however many statements it takes', async (t) => {
  const { call, token, acme, eventsOf, bodyOf } = await setUp(t)
  const path = `${ACCOUNTS}/${acme.account}/rotate`
  const next = { clientId: 'next', proofToken: token('cognito', 'next') }
  bodyOf(await call('POST', path, acme.bearer, { ...next, overlapMinutes: 5 }), 200)
  const events = await eventsOf(acme.bearer, 'type=api-account.updated')
  assert.deepEqual(
    events.map(({ target, changed }) => [target?.id, changed]),
    [[acme.account, ['rotatedAt']]],
  )
})
