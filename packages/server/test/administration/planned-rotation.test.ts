import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { pino } from 'pino'
import { PlannedRotations } from '../../src/hosted/planned-rotations.ts'
import { beginPlannedRotation } from '../../src/operations/api-account/begin-planned-rotation.ts'
import { createSealing } from '../../src/platform/keys/sealing.ts'
import { TEST_SEALING_KEY } from '../http/build-app.ts'
import { makeJobs, PROVIDER_WORLDS, SECRET, setUpAdministration } from './worlds.fixture.ts'

const PROVIDERS = '/identity/v1/identity-providers'
const ACCOUNTS = '/identity/v1/api-account-identities'
const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
const PLAN = { everyDays: 30, overlapHours: 24 }

async function setUp(t: TestContext, kind: 'keycloak' | 'cognito' = 'cognito') {
  const world = await setUpAdministration(t, kind)
  const { app, bodyOf, create, paths, createAccount, provider } = world
  const account = bodyOf(await create({ rotation: PLAN, role: 'read-only' }))
  const other = await createAccount(provider.id, 'reader', { role: 'read-only' })
  const boss = await createAccount(provider.id, 'boss')
  const rotations = app.stores.map((store) => {
    const { accountJobs } = makeJobs({ ...app, store })
    const clientBindings = {
      ofOrganization:
        async () =>
        async ({ revision }: { revision: number }) =>
          registered(revision),
    }
    const parts = { store, clock: app.clock, log: pino({ enabled: false }), sealing: createSealing(TEST_SEALING_KEY) }
    return new PlannedRotations({ ...parts, accountJobs, clientBindings })
  })
  return { ...world, account, other, boss, rotations, path: `${paths.accounts}/${account.id}` }
}

const registered = (revision: number) => ({ by: 'registration', revision }) as const

test('P-14 a planned rotation keeps new credentials sealed for one pick-up by the account itself', async (t) => {
  const { app, world, account, rotations, path, call, token } = await setUp(t)
  const own = () => token('cognito', account.clientId)
  const pickUp = (bearer: string) => call('POST', `${path}/pick-up`, bearer)
  const [first] = rotations
  app.clock.advance(30 * DAY_MS - HOUR_MS)
  await first?.runDue()
  assert.equal(world.secretsOf?.(account.clientId), 1)
  assert.equal((await pickUp(own())).status, 404)
  app.clock.advance(HOUR_MS)
  // All nodes at once: one of them rotates.
  await Promise.all([...rotations, ...rotations].map((one) => one.runDue()))
  assert.equal(world.secretsOf?.(account.clientId), 2)
  const dump = JSON.stringify(await app.store.db.selectFrom('account_pickups').selectAll().execute())
  assert.match(dump, /s1\./)
  const shown = await call('GET', path, own())
  assert.equal(shown.json.pickUpUntil.epochSecond, shown.json.rotatedAt.epochSecond + 24 * 3600)
  for (const [clientId, status] of [
    ['reader', 403],
    ['unknown', 401],
  ] as const) {
    assert.equal((await pickUp(token('cognito', clientId))).status, status)
  }
  const taken = await pickUp(own())
  assert.equal(taken.status, 200, taken.text)
  assert.equal(taken.json.credentials.clientId, account.clientId)
  assert.notEqual(taken.json.credentials.password, account.credentials.password)
  assert.equal(dump.includes(taken.json.credentials.password), false)
  assert.equal((await pickUp(own())).status, 404, 'once')
  assert.equal((await call('GET', path, own())).json.pickUpUntil, null)
})

test('P-14 an administrator picks up too, until the overlap ends', async (t) => {
  const { app, rotations, jobs, world, account, path, call, token } = await setUp(t)
  const pickUp = () => call('POST', `${path}/pick-up`, token('cognito', 'boss'))
  for (const isLate of [false, true]) {
    app.clock.advance(30 * DAY_MS)
    await rotations[0]?.runDue()
    if (isLate) app.clock.advance(24 * HOUR_MS)
    assert.equal((await pickUp()).status, isLate ? 404 : 200)
    await jobs.accountJobs.runDue()
    assert.equal(world.secretsOf?.(account.clientId), isLate ? 1 : 2)
    app.clock.advance(24 * HOUR_MS)
    await jobs.accountJobs.runDue()
    assert.deepEqual(await app.store.db.selectFrom('account_pickups').selectAll().execute(), [])
    assert.equal(world.secretsOf?.(account.clientId), 1)
  }
})

test('a planned rotation that fails leaves the credentials as they are, and is tried again', async (t) => {
  const { app, rotations, world, account, path, call, token, paths } = await setUp(t)
  world.refuseSecret()
  app.clock.advance(30 * DAY_MS)
  await rotations[0]?.runDue()
  const boss = token('cognito', 'boss')
  const [job] = (await call('GET', paths.jobs, boss)).json
  assert.deepEqual([job.kind, job.accountId], ['rotate', account.id])
  assert.equal((await call('GET', path, boss)).json.pickUpUntil, null)
  assert.equal((await call('DELETE', `${paths.jobs}/${job.id}`, boss)).status, 204)
  await rotations[0]?.runDue()
  assert.deepEqual((await call('GET', paths.jobs, boss)).json, [], 'not before an hour')
})

test('where clients have one secret, a planned rotation creates another client', async (t) => {
  const { app, rotations, world, account, path, call, token } = await setUp(t, 'keycloak')
  app.clock.advance(30 * DAY_MS)
  await rotations[0]?.runDue()
  assert.equal(world.clientIds().length, 2)
  const taken = await call('POST', `${path}/pick-up`, token('keycloak', account.clientId))
  assert.equal(taken.status, 200, taken.text)
  const next = taken.json.credentials.clientId
  assert.notEqual(next, account.clientId)
  assert.equal((await call('GET', '/core/v3/networks', token('keycloak', next))).status, 200)
})

test('rotation needs a client that the controller created, and an active account', async (t) => {
  const { app, rotations, world, account, other, paths, path, create } = await setUp(t)
  const refused = await app.admin('PATCH', `${paths.accounts}/${other}`, { rotation: PLAN })
  assert.deepEqual([refused.status, refused.json.field], [400, 'rotation'])
  assert.equal((await create({ name: 'x', clientId: 'y', rotation: PLAN })).status, 400)
  for (const bad of [{ everyDays: 0, overlapHours: 1 }, { everyDays: 1, overlapHours: 0 }, { everyDays: 1 }]) {
    assert.equal((await app.admin('PATCH', path, { rotation: bad })).status, 400)
  }
  assert.equal((await app.admin('PATCH', path, { active: false })).status, 200)
  app.clock.advance(30 * DAY_MS)
  await rotations[0]?.runDue()
  assert.equal(world.secretsOf?.(account.clientId), 1)
})

test('P-14 an account that cannot call is not rotated until it can, and so can pick up its credentials', async (t) => {
  const { app, rotations, bodyOf, createOrganization, createProvider, createAccount, call, token } = await setUp(t)
  const world = await PROVIDER_WORLDS.auth0(t)
  const organizationId = await createOrganization('TENANT')
  await createAccount(await createProvider('auth0', { organizationId }), 'tenant', { organizationId })
  const asTenant = (method: string, path: string, body: object) => call(method, path, token('auth0', 'tenant'), body)
  const administration = { ...world.administration, clientSecret: SECRET }
  const record = bodyOf(await asTenant('POST', PROVIDERS, { name: 'own', ...world.record, administration }))
  const members = { name: 'planned', identityProviderId: record.id, rotation: { everyDays: 30, overlapHours: 1 } }
  const { id } = bodyOf(await asTenant('POST', ACCOUNTS, members))
  const asOperator = (what: string) =>
    call('POST', `/identity/v1/operator/organizations/${organizationId}/${what}`, token('cognito', 'boss'), {})
  const enable = (enabled: boolean) => asTenant('PATCH', `${PROVIDERS}/${record.id}`, { enabled })
  const end = (expiresAt: string | null) => asTenant('PATCH', `${ACCOUNTS}/${id}`, { expiresAt })
  for (const [what, block, allow] of [
    ['suspended', () => asOperator('suspend'), () => asOperator('resume')],
    ['disabled', () => enable(false), () => enable(true)],
    ['expired', () => end(new Date(app.clock.now()).toISOString()), () => end(null)],
  ] as const) {
    app.clock.advance(30 * DAY_MS)
    bodyOf(await block(), 200)
    await rotations[0]?.runDue()
    assert.equal(world.clientIds().length, 1, what)
    bodyOf(await allow(), 200)
    await rotations[0]?.runDue()
    assert.equal(world.clientIds().length, 2, what)
    bodyOf(await call('POST', `${ACCOUNTS}/${id}/pick-up`, token('auth0', 'tenant')), 200)
    app.clock.advance(HOUR_MS)
    const { accountClients } = makeJobs(app)
    await accountClients.endOldSessions()
    await accountClients.removeRetired()
    assert.equal(world.clientIds().length, 1)
  }
})

test('P-14 what prevents a rotation is read again in its transaction', async (t) => {
  const { app, account, path, call, token, bodyOf } = await setUp(t)
  const { store } = app
  app.clock.advance(30 * DAY_MS)
  const run = (jobId: string) => {
    const args = { id: account.id, organizationId: account.organizationId, jobId, input: '{}' }
    return store.run(beginPlannedRotation, args, { actorId: 'system', now: app.clock.now() })
  }
  const setEnd = async (expiresAt: string | null) =>
    bodyOf(await call('PATCH', path, token('cognito', 'boss'), { expiresAt }), 200)
  await setEnd(new Date(app.clock.now()).toISOString())
  assert.equal(await run('first'), false)
  await setEnd(null)
  assert.equal(await run('second'), true)
})
