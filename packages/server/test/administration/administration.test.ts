/** API accounts at real kinds of providers, which stubs stand for. They check requests as the providers document them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { providerFromRow } from '../../src/store/provider-row.ts'
import { setUpHosted } from '../hosted/hosted.fixture.ts'
import { startStub } from './stub-server.ts'
import { holdOperation, makeJobs, PROVIDER_WORLDS, SECRET, setUpAdministration } from './worlds.fixture.ts'

const KINDS = Object.keys(PROVIDER_WORLDS) as (keyof typeof PROVIDER_WORLDS)[]
/** Longer than a job may be at work, and than the overlaps here. Sessions of administrators last longer. */
const LATER_MS = 11 * 60_000
const OVERLAP = { overlapMinutes: 10 }

for (const kind of KINDS) {
  test(`D42 ${kind}: an account is created at the provider, disabled, enabled and deleted there`, async (t) => {
    const { app, world, provider, paths, create, listJobs } = await setUpAdministration(t, kind)
    const made = await create()
    assert.equal(made.status, 201, made.text)
    const { id, clientId, credentials } = made.json
    assert.deepEqual(world.clientIds(), [clientId])
    assert.deepEqual([credentials.clientId, credentials.authenticationUrl], [clientId, provider.tokenUrl])
    assert.ok(credentials.password.length > 0)
    for (const active of [false, true]) {
      assert.equal((await app.admin('PATCH', `${paths.accounts}/${id}`, { active })).status, 200)
      assert.equal(world.isEnabled(clientId), active)
    }
    assert.equal((await app.admin('DELETE', `${paths.accounts}/${id}`)).status, 204)
    assert.deepEqual(world.clientIds(), [])
    assert.deepEqual(await listJobs(), [])
  })

  test(`D65 R-13 ${kind}: the secret is never shown, and stored sealed`, async (t) => {
    const { app, world, provider, paths, create } = await setUpAdministration(t, kind)
    const { password } = (await create()).json.credentials
    const shown = { ...world.administration, [`${world.secretMember}Set`]: true }
    assert.deepEqual(provider.administration, shown)
    const tables = ['identity_providers', 'api_account_clients', 'account_jobs', 'change_log'] as const
    const rows = await Promise.all(tables.map((table) => app.store.db.selectFrom(table).selectAll().execute()))
    const dump = JSON.stringify([rows, app.logged, (await app.admin('GET', paths.provider)).json])
    for (const secret of [SECRET, password]) assert.equal(dump.includes(secret), false)
    const again = await app.admin('PUT', paths.provider, provider)
    assert.deepEqual(
      [again.status, again.json.administration],
      [200, shown],
      'sending back what was read changes nothing',
    )
  })

  test(`${kind}: with an overlap, two credentials are valid until it ends`, async (t) => {
    const { app, world, paths, create, jobs } = await setUpAdministration(t, kind)
    const { id, clientId, credentials } = (await create()).json
    const rotated = await app.admin('POST', `${paths.accounts}/${id}/rotate`, OVERLAP)
    assert.equal(rotated.status, 200, rotated.text)
    assert.notEqual(rotated.json.credentials.password, credentials.password)
    const next = rotated.json.clientId
    assert.equal(next === clientId, world.secretsOf !== undefined)
    const count = () => (world.secretsOf ? world.secretsOf(clientId) : world.clientIds().length)
    assert.equal(count(), 2)
    const work = async () => {
      await jobs.accountClients.endOldSessions()
      await jobs.accountClients.removeRetired()
      await jobs.accountJobs.runDue()
    }
    await work()
    assert.equal(count(), 2)
    app.clock.advance(LATER_MS)
    await work()
    assert.equal(count(), 1)
    assert.deepEqual(world.clientIds(), [next])
    const leaked = await app.admin('POST', `${paths.accounts}/${id}/rotate`, { overlapMinutes: 0 })
    assert.equal(leaked.status, 200, leaked.text)
    assert.notEqual(leaked.json.clientId, next, 'tokens of the old client end at once')
  })

  test(`${kind}: the test of a connection says which permission is missing`, async (t) => {
    const { app, world, paths } = await setUpAdministration(t, kind)
    const run = async () => {
      const reply = await app.admin('POST', `${paths.provider}/test`)
      assert.equal(reply.status, 200, reply.text)
      return reply.json as { ok: boolean; kind: string; checks: { ok: boolean; missing?: string; message: string }[] }
    }
    const good = await run()
    assert.deepEqual([good.ok, good.kind], [true, kind], JSON.stringify(good))
    assert.ok(good.checks.length > 1)
    assert.deepEqual(world.clientIds(), [], 'a test creates nothing')
    const permission = world.takePermission()
    const bad = await run()
    const missing = bad.checks.flatMap((check) => check.missing ?? [])
    assert.equal(bad.ok, false)
    assert.equal(missing.length, 1, JSON.stringify(bad))
    assert.ok(missing[0]?.includes(permission), missing[0])
    world.refuseSecret()
    const [refused, ...others] = (await run()).checks
    assert.deepEqual([refused?.ok, others.length], [false, 0])
    assert.match(refused?.message ?? '', new RegExp(world.secretMember))
    assert.deepEqual(world.clientIds(), [])
  })

  test(`P-13 ${kind}: a provider that fails in the middle keeps no client, and the job is repeated`, async (t) => {
    const { app, world, paths, create, listJobs } = await setUpAdministration(t, kind)
    world.failInTheMiddle()
    const failed = await create()
    assert.equal(failed.status, 502, failed.text)
    assert.deepEqual(world.clientIds(), [])
    const [job, ...others] = await listJobs()
    assert.deepEqual([job.kind, job.state, others.length], ['create', 'failed', 0])
    assert.match(job.error, /HTTP 50[03]/)
    assert.deepEqual((await app.admin('GET', paths.accounts)).json, [])
    assert.equal((await app.admin('POST', `${paths.jobs}/${job.id}/repeat`)).status, 502)
    world.heal()
    const [again] = await listJobs()
    const repeated = await app.admin('POST', `${paths.jobs}/${again.id}/repeat`)
    assert.equal(repeated.status, 200, repeated.text)
    assert.deepEqual(world.clientIds(), [repeated.json.credentials.clientId])
    assert.deepEqual([repeated.json.name, await listJobs()], ["CI's <nightly>", []])
  })

  test(`P-13 ${kind}: a client whose creation was interrupted before it was stored is found and removed`, async (t) => {
    const { app, world, provider, create, jobs, listJobs } = await setUpAdministration(t, kind)
    const kept = (await create({ name: 'kept' })).json
    const { accountJobs, accountClients } = jobs
    const row = await app.store.db.selectFrom('identity_providers').selectAll().executeTakeFirstOrThrow()
    const record = providerFromRow(row)
    const plan = { provider: record, accountId: 'lost', accountName: 'lost', kind: 'create', input: {} } as const
    const system = { actorId: 'system', now: app.clock.now() }
    const id = await accountJobs.begin(plan, system)
    await accountClients.create(record, { name: 'lost', marker: id })
    assert.equal(world.clientIds().length, 2)
    await accountJobs.runDue()
    assert.equal(world.clientIds().length, 2, 'the process may still be at work')
    assert.equal((await listJobs())[0].state, 'running')
    app.clock.advance(LATER_MS)
    await accountJobs.runDue()
    assert.deepEqual(world.clientIds(), [kept.clientId])
    assert.deepEqual([(await listJobs())[0].state, provider.id], ['failed', record.id])
  })
}

for (const kind of ['entra', 'cognito'] as const) {
  test(`P-13 ${kind}: a secret whose rotation was interrupted before it was stored is removed`, async (t) => {
    const { app, world, paths, create, jobs, listJobs } = await setUpAdministration(t, kind)
    const { id, clientId } = (await create()).json
    const race = holdOperation(app, 'apiAccount.rotate')
    const sent = app.admin('POST', `${paths.accounts}/${id}/rotate`, OVERLAP)
    while (world.secretsOf?.(clientId) !== 2) await new Promise((resolve) => setTimeout(resolve, 10))
    app.clock.advance(LATER_MS)
    await jobs.accountJobs.runDue()
    assert.equal(world.secretsOf?.(clientId), 1)
    assert.equal((await listJobs())[0].state, 'failed')
    race.release()
    assert.equal((await sent).status, 502, 'the result of an interrupted job is not stored')
  })

  for (const isLate of [true, false]) {
    const expected = isLate ? 'adds no secret' : 'adds one, when it was in time'
    test(`P-13 ${kind}: a rotation that another process has undone ${expected}`, async (t) => {
      const { app, world, paths, create, listJobs } = await setUpAdministration(t, kind)
      const { id, clientId } = (await create()).json
      const { store } = app
      const others = makeJobs({ ...app, store: Object.create(store, { run: { value: store.run.bind(store) } }) })
      const settle = holdOperation(app, 'accountJob.settle')
      const sent = app.admin('POST', `${paths.accounts}/${id}/rotate`, OVERLAP)
      await settle.reached
      if (isLate) app.clock.advance(LATER_MS)
      await others.accountJobs.runDue()
      settle.release()
      assert.equal((await sent).status, isLate ? 502 : 200)
      assert.equal(world.secretsOf?.(clientId), isLate ? 1 : 2)
      assert.deepEqual([isLate, (await listJobs())[0].state], [isLate, isLate ? 'failed' : 'pending'])
    })
  }
}

for (const isLate of [true, false]) {
  const expected = isLate ? 'is removed, and no account has it' : 'is kept, when it was in time'
  test(`P-13 a client whose creation another process undoes ${expected}`, async (t) => {
    const { app, createProvider } = await setUpHosted(t)
    const clients = new Map<string, string>()
    const steps = { created: Promise.withResolvers<void>(), respond: Promise.withResolvers<void>() }
    const search = { begun: Promise.withResolvers<void>(), respond: Promise.withResolvers<void>() }
    const stub = await startStub(t, async ({ headers, body }) => {
      const members = JSON.parse(body)
      switch (String(headers['x-amz-target']).split('.')[1]) {
        case 'CreateUserPoolClient':
          clients.set('c1', members.ClientName)
          steps.created.resolve()
          await steps.respond.promise
          return { status: 200, json: { UserPoolClient: { ClientId: 'c1', ClientSecret: 's' } } }
        case 'ListUserPoolClients': {
          const UserPoolClients = [...clients].map(([ClientId, ClientName]) => ({ ClientId, ClientName }))
          search.begun.resolve()
          await search.respond.promise
          return { status: 200, json: { UserPoolClients } }
        }
        default:
          clients.delete(members.ClientId)
          return { status: 200, json: {} }
      }
    })
    const administration = { kind: 'cognito', url: stub.base, accessKeyId: 'A', secretAccessKey: 'b', scope: 's' }
    const identityProviderId = await createProvider('cognito', { administration })
    const sent = app.admin('POST', '/identity/v1/api-account-identities', { name: 'a', identityProviderId })
    await steps.created.promise
    if (isLate) app.clock.advance(LATER_MS)
    const undone = makeJobs(app).accountJobs.runDue()
    await (isLate ? search.begun.promise : undone)
    steps.respond.resolve()
    assert.equal((await sent).status, isLate ? 502 : 201)
    search.respond.resolve()
    await undone
    const accounts: object[] = (await app.admin('GET', '/identity/v1/api-account-identities')).json
    const jobs: { state: string }[] = (await app.admin('GET', '/identity/v1/account-jobs')).json
    assert.deepEqual([clients.size, accounts.length], isLate ? [0, 0] : [1, 1])
    assert.deepEqual(
      jobs.map(({ state }) => state),
      isLate ? ['failed'] : [],
    )
  })
}

test('P-13 a job that is being repeated is not repeated and not dismissed beside that', async (t) => {
  const { app, world, paths, create, listJobs } = await setUpAdministration(t, 'cognito')
  const { id } = (await create()).json
  const right = { ...world.administration, secretAccessKey: SECRET }
  const setSecret = async (administration: object) =>
    assert.equal((await app.admin('PATCH', paths.provider, { administration })).status, 200)
  await setSecret({ ...right, secretAccessKey: 'wrong' })
  assert.equal((await app.admin('DELETE', `${paths.accounts}/${id}`)).status, 204)
  await setSecret(right)
  const [job] = await listJobs()
  const path = `${paths.jobs}/${job.id}`
  const settle = holdOperation(app, 'accountJob.settle')
  const first = app.admin('POST', `${path}/repeat`)
  await settle.reached
  for (const [method, address] of [
    ['POST', `${path}/repeat`],
    ['DELETE', path],
  ] as const) {
    const second = await app.admin(method, address)
    assert.deepEqual([second.status, second.json.field], [400, 'id'], second.text)
  }
  settle.release()
  assert.equal((await first).status, 204)
  assert.deepEqual([world.clientIds(), await listJobs()], [[], []])
})

test('P-13 cognito: a rotation of a client that was deleted there is undone, and so is one that fails', async (t) => {
  const { app, paths, create, listJobs, jobs } = await setUpAdministration(t, 'cognito')
  for (const isDeleted of [true, false]) {
    const { id, clientId } = (await create({ name: `deleted ${isDeleted}` })).json
    const row = await app.store.db.selectFrom('identity_providers').selectAll().executeTakeFirstOrThrow()
    const client = { clientId, handle: clientId, token: null }
    const { provider, adapter } = jobs.accountClients.open(providerFromRow(row))
    const race = holdOperation(app, 'apiAccount.rotate')
    const sent = app.admin('POST', `${paths.accounts}/${id}/rotate`, OVERLAP)
    await race.reached
    if (isDeleted) await adapter.remove(provider, client)
    app.clock.advance(LATER_MS)
    await jobs.accountJobs.runDue()
    assert.equal((await listJobs())[0].state, 'failed')
    assert.equal((await adapter.secrets?.list(provider, client))?.length, isDeleted ? 0 : 1)
    race.release()
    assert.equal((await sent).status, 502)
  }
})
