import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { accountFromBody, DEFAULT_QUOTAS, newId } from '@countersign/core'
import { BY_OPERATOR } from '../../src/operations/api-account/client-binding.ts'
import { createApiAccount } from '../../src/operations/api-account/create-api-account.ts'
import { deleteApiAccount } from '../../src/operations/api-account/delete-api-account.ts'
import { rotateApiAccount } from '../../src/operations/api-account/rotate-api-account.ts'
import { createIdentity } from '../../src/operations/identity/create-identity.ts'
import { makeAccountClients } from './account-clients.fixture.ts'
import { setUpHosted } from './hosted.fixture.ts'

const ACCOUNTS = '/identity/v1/api-account-identities'
const HOSTILE = 'https://hostile.example/register'
const FINE = 'https://fine.example/register'
const OVERLAP_MINUTES = 2
const ROTATIONS_OF_ONE_ACCOUNT = DEFAULT_QUOTAS.clientsPerAccount - 1

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

/** An organization whose accounts have rotated `count` times; the clients are to be removed at `registrationUri`. Returns the first account. */
async function addRetiredClients(
  { app, createOrganization, createProvider }: World,
  { label, count, registrationUri }: { label: string; count: number; registrationUri: string },
): Promise<string> {
  const organizationId = await createOrganization(label)
  const identityProviderId = await createProvider('cognito', { organizationId })
  const meta = { actorId: 'system', now: app.clock.now() }
  const accounts: string[] = []
  for (let nth = 0; nth < count; nth++) {
    if (nth % ROTATIONS_OF_ONE_ACCOUNT === 0) {
      const id = randomUUID()
      const owners = { id, organizationId, identityProviderId }
      const client = { clientId: `${label} ${id}`, administeredBy: null, handle: null, sealedToken: null }
      const settings = accountFromBody({ name: id })
      await app.store.run(createApiAccount, { ...owners, settings, client, binding: BY_OPERATOR }, meta)
      accounts.push(id)
    }
    const client = {
      clientId: `${label} ${nth}`,
      administeredBy: 'rfc7591' as const,
      handle: registrationUri,
      sealedToken: 'sealed',
    }
    const rotation = {
      id: accounts.at(-1) ?? '',
      organizationId,
      credential: { client, binding: BY_OPERATOR },
      overlapMs: 0,
    }
    await app.store.run(rotateApiAccount, rotation, meta)
  }
  return accounts[0] ?? ''
}

/** The upkeep, with the addresses at which it has requested removals. */
function setUpUpkeep({ app }: World) {
  const requested: string[] = []
  const clients = makeAccountClients(app, async (_, { registrationUri }) => {
    requested.push(registrationUri ?? '')
    if (registrationUri === HOSTILE) throw new Error('500')
  })
  const removeRetired = async (): Promise<void> => {
    await clients.endOldSessions()
    await clients.removeRetired()
  }
  return { requested, removeRetired }
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
    return app.store.run(createIdentity, args, { actorId, credential: { sessionId, secondSigner: null }, now })
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

test('F-14 each retired client is read when it is its turn: one whose account is deleted during the round is left', async (t) => {
  const world = await setUp(t)
  const { app } = world
  const account = await addRetiredClients(world, { label: 'FINE', count: 3, registrationUri: FINE })
  const rows = await app.store.db.selectFrom('api_accounts').selectAll().where('id', '=', account).execute()
  const organizationId = rows[0]?.organization_id ?? ''
  let requested = 0
  const clients = makeAccountClients(app, async () => {
    requested++
    if (requested > 1) return
    await app.store.run(deleteApiAccount, { id: account, organizationId }, { actorId: 'system', now: app.clock.now() })
  })
  await clients.removeRetired()
  assert.equal(requested, 1)
})
