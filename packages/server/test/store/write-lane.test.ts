/** Logins of many identities, and what strangers cause, in transactions that run at the same time. */
import assert from 'node:assert/strict'
import { after, type TestContext, test } from 'node:test'
import { newId, providerFromBody } from '@countersign/core'
import pg from 'pg'
import { LoginWrites } from '../../src/oidc/login-writes.ts'
import { endOwnSession } from '../../src/operations/api-session/end-session.ts'
import { extendSession } from '../../src/operations/api-session/extend-session.ts'
import { createApiSession } from '../../src/operations/api-session/start-session.ts'
import { createIdentity } from '../../src/operations/identity/create-identity.ts'
import { patchIdentity } from '../../src/operations/identity/update-identity.ts'
import { createProvider } from '../../src/operations/identity-provider/create-provider.ts'
import { type AuthenticateOidcLogin, authenticateOidcLogin } from '../../src/operations/oidc/authenticate-login.ts'
import { startOidcLogin } from '../../src/operations/oidc/start-login.ts'
import { createOrganization } from '../../src/operations/organization/create-organization.ts'
import { suspendOrganization } from '../../src/operations/organization/suspend-organization.ts'
import { reserveKeyFetch } from '../../src/operations/signer/reserve-key-fetch.ts'
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts'
import type { Store } from '../../src/store/store.ts'
import { withWriteTurns } from '../../src/store/write-turns.ts'
import { withDefaults } from '../keyset/key-sets.fixture.ts'
import { logInAs, newSession } from '../operations/log-in-as.ts'
import { getPostgres, stopPostgres } from './open-test-stores.ts'

after(stopPostgres)

const NOW = 1_700_000_000_000
const SYSTEM = { actorId: 'system', now: NOW }
const MAX_SESSIONS = 4

/** Two nodes, and a connection that is neither. */
async function setUp(t: TestContext) {
  const url = await (await getPostgres()).createDatabase()
  const open = () => openPostgresStore({ url, nodeId: newId(), now: NOW, onWarning: () => {} })
  const nodes = [await withDefaults(await open()), await open()] as const
  const other = new pg.Client({ connectionString: url })
  await other.connect()
  const closeNodes = async () => void (await Promise.all(nodes.map((node) => node.close())))
  t.after(async () => {
    await closeNodes()
    await other.end()
  })
  /** PostgreSQL counts the deadlocks of a connection at its end. */
  const countDeadlocks = async (): Promise<number> => {
    await closeNodes()
    const { rows } = await other.query('select deadlocks from pg_stat_database where datname = current_database()')
    return Number(rows[0].deadlocks)
  }
  return { nodes, other, countDeadlocks }
}

async function makeIdentities(store: Store, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, newId).toSorted()
  for (const id of ids) {
    await store.run(createIdentity, { id, body: { name: id, type: 'Default', isAdmin: false } } as never, SYSTEM)
  }
  return ids
}

/** Opens a session and returns its id. */
async function logIn(store: Store, identityId: string): Promise<string> {
  const session = newSession({ identityId, authenticatorId: 'x', now: NOW })
  const meta = { actorId: identityId, now: NOW }
  assert.equal(await store.run(createApiSession, { ...session, maxPerIdentity: MAX_SESSIONS }, meta), 'opened')
  return session.id
}

test('S-07 a refused change in a group fails alone, whatever its message says, and uses up no number of the change log', async (t) => {
  const { nodes, other } = await setUp(t)
  const [node] = nodes
  const create = (name: string) =>
    node.run(createIdentity, { id: newId(), body: { name, type: 'Default', isAdmin: false } } as never, SYSTEM)
  await create('timeout expired')
  // The groups after one with a refused change have savepoints from the start.
  for (const round of [1, 2]) {
    const settled = await Promise.allSettled(
      ['one', 'timeout expired', 'two'].map((name) => create(name === 'timeout expired' ? name : `${name} ${round}`)),
    )
    assert.deepEqual(
      settled.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    )
  }
  const { rows } = await other.query(
    "select seq from change_log where entity = 'identities' and actor_id = 'system' order by seq desc limit 5",
  )
  const [last, ...earlier] = rows.map(({ seq }) => Number(seq))
  assert.deepEqual(
    earlier,
    [1, 2, 3, 4].map((before) => Number(last) - before),
  )
})

test('S-07 a change of many rows keeps its entries of the change log when the next one in its group is refused', async (t) => {
  const { nodes, other } = await setUp(t)
  const [node] = nodes
  const create = (name: string) =>
    node.run(createIdentity, { id: newId(), body: { name, type: 'Default', isAdmin: false } } as never, SYSTEM)
  const [organizationId, providerId] = [newId(), newId()]
  const body = { name: 'Acme', label: 'ACME' }
  await node.run(createOrganization, { id: organizationId, networkGroupId: newId(), body }, SYSTEM)
  const issuer = 'https://idp.example'
  const provider = providerFromBody({ name: 'idp', kind: 'oidc', issuer, audience: 'api', jwksUri: `${issuer}/keys` })
  await node.run(createProvider, { id: providerId, organizationId, provider }, SYSTEM)
  const entriesOf = async () => {
    const { rows } = await other.query('select seq from change_log where entity_id = $1', [providerId])
    return rows.length
  }
  await create('taken')
  // The groups after this one have savepoints.
  await Promise.allSettled([create('taken'), create('first')])
  const before = await entriesOf()
  const suspend = () => node.run(suspendOrganization, { id: organizationId, reason: null }, SYSTEM)
  const settled = await Promise.allSettled([suspend(), create('taken')])
  assert.deepEqual(
    settled.map(({ status }) => status),
    ['fulfilled', 'rejected'],
  )
  assert.equal(await entriesOf(), before + 1)
})

test('S-07 key fetches that strangers cause do not wait for each other', async (t) => {
  const { nodes, countDeadlocks } = await setUp(t)
  const take = (node: Store, endpoint: string, now = NOW) =>
    node.run(reserveKeyFetch, { endpoint, burst: 1, refillMs: 10_000 }, { ...SYSTEM, now })
  const taken: boolean[] = []
  for (let round = 0; round < 20; round++) {
    const endpoints = Array.from({ length: 4 }, (_, nth) => `https://idp.example/${round}/${nth}`)
    const both = [endpoints.map((one) => take(nodes[0], one)), endpoints.toReversed().map((one) => take(nodes[1], one))]
    taken.push(...(await Promise.all(both.flat())))
  }
  assert.equal(taken.filter(Boolean).length, 80, 'each of the 80 buckets was taken from once')
  assert.equal(await take(nodes[0], 'https://idp.example/0/0', NOW + 10_000), true, 'it is full again')
  assert.equal((await nodes[0].db.selectFrom('key_fetches').selectAll().execute()).length, 1, 'and the others are gone')
  assert.equal(await countDeadlocks(), 0)
})

test('S-07 an identity that logs in and out without pause delays no other', async (t) => {
  const { nodes, countDeadlocks } = await setUp(t)
  const ids = await makeIdentities(nodes[0], 3)
  const sessions = ids.map((): string[] => [])
  const open = async (node: Store, nth: number): Promise<void> => {
    sessions[nth]?.push(await logIn(node, ids[nth] ?? ''))
  }
  const busy = async (node: Store): Promise<void> => {
    for (let round = 0; round < 60; round++) {
      const work: Promise<unknown>[] = []
      for (const [nth, actorId] of ids.entries()) {
        const meta = { actorId, now: NOW + round }
        // The least recently used one is what the next login ends.
        const id = sessions[nth]?.shift()
        if (id && round % 3 > 0) work.push(node.run(endOwnSession, { id }, meta))
        else if (id) work.push(node.run(extendSession, { id, expiresAt: NOW + 60_000 }, meta))
        work.push(open(node, nth), open(node, nth))
      }
      await Promise.all(work)
    }
  }
  await Promise.all(nodes.flatMap((node) => [busy(node), busy(node)]))
  const counted = await nodes[0].db
    .selectFrom('api_sessions')
    .select(({ fn }) => ['identity_id', fn.countAll<number>().as('count')])
    .groupBy('identity_id')
    .execute()
  assert.equal(counted.length, 3)
  assert.ok(counted.every(({ count }) => count <= MAX_SESSIONS))
  assert.equal(await countDeadlocks(), 0)
})

test('S-07 an OpenID login that another process changes is tried again, and holds no row meanwhile', {
  timeout: 9_000,
}, async (t) => {
  const { nodes, other, countDeadlocks } = await setUp(t)
  const ids = await makeIdentities(nodes[0], 2)
  const logins = [newId(), newId()]
  const begun = {
    clientId: 'native',
    redirectUri: 'u',
    scopes: [],
    state: undefined,
    nonce: undefined,
    configTypes: [],
  } as const
  for (const id of logins) {
    const login = { ...begun, id, codeChallenge: 'x', browserDigest: undefined, expiresAt: NOW + 60_000 }
    await nodes[0].run(startOidcLogin, login, SYSTEM)
  }
  const details = { amr: [] } as unknown as AuthenticateOidcLogin['details']
  const writes = new LoginWrites({ store: nodes[0], clock: { now: () => NOW } })
  const authenticate = (loginId: string, identityId: string) => {
    const session = newSession({ identityId, authenticatorId: 'x', now: NOW })
    const args = { loginId, session, details, code: undefined }
    return writes.run(authenticateOidcLogin, args, { actorId: identityId })
  }
  const [free = '', locked = ''] = logins
  await other.query('begin')
  await other.query('select 1 from oidc_logins where id = $1 for update', [locked])
  const waiting = [authenticate(locked, ids[1] ?? ''), authenticate(locked, ids[0] ?? '')]
  assert.equal(typeof (await authenticate(free, ids[0] ?? '')), 'object', 'while the others wait')
  assert.equal(typeof (await logIn(nodes[0], ids[1] ?? '')), 'string', 'while its login waits')
  await other.query('commit')
  const [first, second] = await Promise.all(waiting)
  assert.ok(typeof first === 'object' && typeof second === 'object')
  assert.equal(first.replacedSessionId, undefined)
  assert.ok(second.replacedSessionId, 'one after the other')
  assert.equal(await countDeadlocks(), 0)
})

test('S-07 logins that wait for a row give way within a second, and wait for it alone', async (t) => {
  const { nodes, other } = await setUp(t)
  const [node] = nodes
  const [first = '', second = ''] = await makeIdentities(node, 2)
  const lock = (id: string) => other.query('select 1 from identities where id = $1 for update', [id])
  await other.query('begin')
  await lock(second)
  const logins = Promise.all([logIn(node, first), logIn(node, second)])
  await new Promise((resolve) => setTimeout(resolve, 50))
  const start = performance.now()
  await lock(first)
  assert.ok(performance.now() - start < 900, 'before PostgreSQL looks for deadlocks')
  await new Promise((resolve) => setTimeout(resolve, 600))
  await other.query('commit')
  assert.equal(new Set(await logins).size, 2)
})

test('S-07 a login that fails does not keep those that arrive with it from sharing a transaction', async (t) => {
  const { nodes, other } = await setUp(t)
  const [node] = nodes
  const ids = await makeIdentities(node, 10)
  await other.query('create table opened (transaction text)')
  await other.query(`create function note() returns trigger language plpgsql as $$ begin
    insert into opened values (pg_current_xact_id()::text); return new; end $$`)
  await other.query('create trigger notes after insert on api_sessions for each row execute function note()')
  const [failing = '', ...fine] = ids
  const session = newSession({ identityId: failing, authenticatorId: 'no\0text', now: NOW })
  const refused = node.run(createApiSession, session, { actorId: failing, now: NOW })
  const [result] = await Promise.all([
    refused.then(
      () => 'opened',
      () => 'failed',
    ),
    ...fine.map((id) => logIn(node, id)),
  ])
  assert.equal(result, 'failed')
  const { rows } = await other.query(
    'select count(*)::int as logins, count(distinct transaction)::int as commits from opened',
  )
  assert.deepEqual(rows, [{ logins: 9, commits: 1 }])
})

test('D52 the fetches of an endpoint with a long address are counted', async (t) => {
  const { nodes } = await setUp(t)
  const path = Array.from({ length: 2_000 }, (_, nth) => String.fromCodePoint(0x4e00 + ((nth * 7_919) % 20_000))).join(
    '',
  )
  const budget = { endpoint: `https://idp.example/${path}`, burst: 1, refillMs: 10_000 }
  assert.equal(await nodes[0].run(reserveKeyFetch, budget, SYSTEM), true)
  assert.equal(await nodes[1].run(reserveKeyFetch, budget, SYSTEM), false)
  const another = { ...budget, endpoint: `${budget.endpoint}2` }
  assert.equal(await nodes[1].run(reserveKeyFetch, another, SYSTEM), true)
})

test('D46 a change that waited is authorised at the time at which it begins', async (t) => {
  const { nodes, other } = await setUp(t)
  const clock = { at: NOW, now: () => clock.at }
  const store = withWriteTurns(nodes[0], clock)
  const [actorId = ''] = await makeIdentities(store, 1)
  const body = { isAdmin: true }
  await store.run(patchIdentity, { id: actorId, body } as never, SYSTEM)
  const meta = await logInAs(store, actorId, NOW)
  const rename = (name: string) => store.run(patchIdentity, { id: actorId, body: { name } } as never, meta)
  await rename('in time')
  const blocked = 'pg_advisory_lock(1129270867, 2)'
  await other.query(`select ${blocked}`)
  const first = rename('begun in time')
  await new Promise((resolve) => setTimeout(resolve, 50))
  const second = assert.rejects(rename('too late'), { code: 'UNAUTHORIZED' })
  clock.at += 2 * 3_600_000
  await other.query(`select ${blocked.replace('_lock', '_unlock')}`)
  await Promise.all([first, second])
  const { name } = await store.db
    .selectFrom('identities')
    .select('name')
    .where('id', '=', actorId)
    .executeTakeFirstOrThrow()
  assert.equal(name, 'begun in time')
})
