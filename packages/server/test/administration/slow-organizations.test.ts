/** An organization whose provider is slow, or lists clients without end, while others have work that is due. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { getProviderById } from '../../src/store/reads/provider-reads.ts'
import { setUpHosted } from '../hosted/hosted.fixture.ts'
import { until } from '../keyset/fake-time.ts'
import { type StubResponse, startStub } from './stub-server.ts'
import { makeJobs } from './worlds.fixture.ts'

/** Longer than a job may be at work. */
const LATER_MS = 11 * 60_000
const LIMITS = { atOnce: 2, beginsMs: 3_000, endsMs: 3_000 }
const NO_CLIENTS: StubResponse = { status: 200, json: { UserPoolClients: [] } }
const JOBS_EACH = 3

/** Two organizations with interrupted creations, whose clients are looked for at their providers. */
async function setUp(t: TestContext, list: () => StubResponse | Promise<StubResponse>) {
  const { app, createOrganization, createProvider } = await setUpHosted(t)
  const organizationId = await createOrganization('FINE')
  const hostile = await startStub(t, list)
  const fine = await startStub(t, () => NO_CLIENTS)
  const jobs = makeJobs(app, LIMITS)
  const begin = async (url: string, members: object = {}) => {
    const secret = { accessKeyId: 'A', secretAccessKey: 'b', scope: 's' }
    const administration = { kind: 'cognito', url, ...secret }
    const provider = await getProviderById(
      app.store.db,
      await createProvider('cognito', { administration, ...members }),
    )
    for (let nth = 0; nth < JOBS_EACH; nth++) {
      const plan = { provider, accountId: `lost ${nth}`, accountName: 'lost', kind: 'create', input: {} } as const
      await jobs.accountJobs.begin(plan, { actorId: 'system', now: app.clock.now() })
    }
    return provider.organizationId
  }
  const organizations = { fine: await begin(fine.base, { organizationId }), hostile: await begin(hostile.base) }
  app.clock.advance(LATER_MS)
  const jobsOf = (id: string) =>
    app.store.db.selectFrom('account_jobs').selectAll().where('organization_id', '=', id).execute()
  const statesOf = async (id: string) => (await jobsOf(id)).map(({ state }) => state).sort()
  return { app, jobs, hostile, fine, organizations, jobsOf, statesOf }
}

test('S-11 a slow provider delays no job of another organization, and its own only for a turn', async (t) => {
  const held = Promise.withResolvers<StubResponse>()
  const { app, jobs, hostile, fine, organizations, jobsOf, statesOf } = await setUp(t, () => held.promise)
  const round = jobs.accountJobs.runDue()
  await until(() => fine.seen.length === JOBS_EACH && hostile.seen.length === 1)
  await round
  assert.deepEqual(await statesOf(organizations.fine), Array(JOBS_EACH).fill('failed'))
  assert.deepEqual(await statesOf(organizations.hostile), ['pending', 'running', 'running'], 'the rest waits')
  assert.equal(hostile.seen.length, 1)
  const errors = (await jobsOf(organizations.hostile)).flatMap(({ error }) => error ?? [])
  assert.deepEqual(errors, ['the fetch was aborted'])
  held.resolve(NO_CLIENTS)
  app.clock.advance(LATER_MS)
  await jobs.accountJobs.runDue()
  assert.deepEqual(await statesOf(organizations.hostile), Array(JOBS_EACH).fill('failed'))
})

test('S-11 a provider that lists clients without end is asked for one turn, and not beyond an empty page', async (t) => {
  const page = { UserPoolClients: [{ ClientId: 'x', ClientName: 'other' }], NextToken: 'more' }
  const state = { json: page }
  const { app, jobs, hostile, organizations, statesOf } = await setUp(t, async () => {
    await new Promise((resolve) => setTimeout(resolve, 100))
    return { status: 200, json: state.json }
  })
  await jobs.accountJobs.runDue()
  assert.ok(hostile.seen.length <= 31, String(hostile.seen.length))
  assert.deepEqual(await statesOf(organizations.hostile), ['pending', 'running', 'running'])
  const before = hostile.seen.length
  state.json = { ...page, UserPoolClients: [] }
  app.clock.advance(LATER_MS)
  await jobs.accountJobs.runDue()
  assert.equal(hostile.seen.length - before, JOBS_EACH)
  assert.deepEqual(await statesOf(organizations.hostile), Array(JOBS_EACH).fill('failed'))
})
