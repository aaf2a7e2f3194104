import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { newId } from '@countersign/core'
import { pino } from 'pino'
import { AccountClients } from '../../src/hosted/account-clients.ts'
import { BY_OPERATOR } from '../../src/operations/api-account/client-binding.ts'
import { rotateApiAccount } from '../../src/operations/api-account/rotate-api-account.ts'
import { createIdentity } from '../../src/operations/identity/create-identity.ts'
import { setUpHosted } from './hosted.fixture.ts'

const ACCOUNTS = '/identity/v1/api-account-identities'
const HOSTILE = 'https://hostile.example/register'
const FINE = 'https://fine.example/register'
const OVERLAP_MINUTES = 2

/** An account of the local organization with a session, whose client is then replaced. */
async function setUp(t: TestContext) {
  const hosted = await setUpHosted(t)
  const { app, createProvider, createAccount, call, token, bodyOf } = hosted
  const account = await createAccount(await createProvider('auth0'), 'first', { role: 'admin' })
  const openSession = async (clientId: string): Promise<string> => {
    const bearer = token('auth0', clientId)
    const [local] = (await call('GET', '/core/v3/networks', bearer)).json._embedded.networkList
    return bodyOf(await call('POST', `/core/v3/networks/${local.id}/exchange`, bearer, { type: 'session' }), 200).value
  }
  const old = await openSession('first')
  const rotation = { clientId: 'second', overlapMinutes: OVERLAP_MINUTES }
  bodyOf(await app.admin('POST', `${ACCOUNTS}/${account}/rotate`, rotation), 200)
  const statusOf = async (session: string) =>
    (await app.call('GET', '/edge/management/v1/identities', undefined, { session })).status
  return { ...hosted, account, openSession, old, statusOf }
}

type World = Awaited<ReturnType<typeof setUp>>

/** An organization whose account has rotated `count` times; the clients are to be removed at `registrationUri`. */
async function addRetiredClients(
  { app, createOrganization, createProvider, createAccount }: World,
  { label, count, registrationUri }: { label: string; count: number; registrationUri: string },
): Promise<string> {
  const organizationId = await createOrganization(label)
  const account = await createAccount(await createProvider('cognito', { organizationId }), label, { organizationId })
  for (let nth = 0; nth < count; nth++) {
    const client = { clientId: `${label} ${nth}`, registrationUri, sealedRegistrationToken: 'sealed' }
    const meta = { actorId: 'system', now: app.clock.now() }
    const rotation = { id: account, organizationId, client, binding: BY_OPERATOR, retiresAt: meta.now }
    await app.store.run(rotateApiAccount, rotation, meta)
  }
  return account
}

/** The upkeep, with the addresses at which it has requested removals. */
function setUpUpkeep({ app }: World) {
  const requested: string[] = []
  const clients = new AccountClients({
    store: app.store,
    clock: app.clock,
    log: pino({ enabled: false }),
    registration: {
      register: async () => assert.fail('nothing is registered'),
      remove: async ({ registrationUri }) => {
        requested.push(registrationUri ?? '')
        if (registrationUri === HOSTILE) throw new Error('500')
      },
    },
    sealing: { keyId: '', prefix: '', seal: String, open: String },
  })
  return { requested, removeRetired: () => clients.removeRetired() }
}

const endOverlap = ({ app }: World) => app.clock.advance(OVERLAP_MINUTES * 60_000)

test('D46 a session from before the retirement of a client is over then, without upkeep, and a later one is not', async (t) => {
  const world = await setUp(t)
  const { openSession, old, statusOf } = world
  assert.deepEqual([await statusOf(old), await statusOf(old)], [200, 200])
  endOverlap(world)
  assert.deepEqual([await statusOf(old), await statusOf(await openSession('second'))], [401, 200])
})

test('D46 a write with such a session is refused in its transaction', async (t) => {
  const { app, account } = await setUp(t)
  const actorId = `api-account:${account}`
  const sessions = app.store.db.selectFrom('api_sessions').select('id').where('identity_id', '=', actorId)
  const { id: sessionId } = await sessions.executeTakeFirstOrThrow()
  const write = (now: number) => {
    const id = newId()
    const args = { id, body: { name: id, type: 'Default', isAdmin: false } as const }
    return app.store.run(createIdentity, args, { actorId, credential: { sessionId, secondSignerId: null }, now })
  }
  const clients = app.store.db.selectFrom('api_account_clients').select('retires_at').where('client_id', '=', 'first')
  const retiresAt = Number((await clients.executeTakeFirstOrThrow()).retires_at)
  await write(retiresAt - 1)
  await assert.rejects(write(retiresAt), { code: 'UNAUTHORIZED' })
})

test('D46 upkeep ends the sessions of retired clients and removes these, whatever the provider of another tenant does', async (t) => {
  const world = await setUp(t)
  const { app, account, openSession, old, statusOf } = world
  const { requested, removeRetired } = setUpUpkeep(world)
  await addRetiredClients(world, { label: 'HOSTILE', count: 120, registrationUri: HOSTILE })
  const fine = await addRetiredClients(world, { label: 'FINE', count: 4, registrationUri: FINE })
  const clientsOf = async (id: string) => {
    const rows = app.store.db.selectFrom('api_account_clients').select('client_id').where('account_id', '=', id)
    return (await rows.execute()).length
  }
  const sessionsOf = async (id: string) => {
    const all = app.store.db.selectFrom('api_sessions').select('id').where('identity_id', '=', `api-account:${id}`)
    return (await all.execute()).length
  }
  await removeRetired()
  assert.deepEqual([await sessionsOf(account), await statusOf(old)], [1, 200], 'the overlap has not ended')
  endOverlap(world)
  const current = await openSession('second')
  await removeRetired()
  assert.deepEqual([await sessionsOf(account), await statusOf(old), await statusOf(current)], [1, 401, 200])
  assert.deepEqual([await clientsOf(account), await clientsOf(fine)], [1, 1])
  const count = (uri: string) => requested.filter((one) => one === uri).length
  assert.deepEqual([count(FINE), count(HOSTILE)], [3, 2], 'one failure in each round')
})
