import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { newId } from '@countersign/core'
import pg from 'pg'
import { createApiSession } from '../../src/operations/api-session/start-session.ts'
import { createIdentity } from '../../src/operations/identity/create-identity.ts'
import { disableIdentity, enableIdentity } from '../../src/operations/identity/disable-identity.ts'
import { patchIdentity } from '../../src/operations/identity/update-identity.ts'
import { createFirstAdmin } from '../../src/operations/start/create-first-admin.ts'
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts'
import type { Store } from '../../src/store/store.ts'
import { logInAs, newSession } from '../operations/log-in-as.ts'
import { DATABASES, getPostgres, openTestStore, stopPostgres } from '../store/open-test-stores.ts'

after(stopPostgres)

const NOW = 1_700_000_000_000
const system = { actorId: 'system', now: NOW }
const ROUNDS = 20
const LOGINS_AT_ONCE = 6

/** Creates an administrator besides the default one. */
async function makeAdministrator(store: Store): Promise<string> {
  const admin = { identityId: newId(), authenticatorId: newId(), username: 'admin', passwordDigest: 'x' }
  await store.run(createFirstAdmin, admin, system)
  const id = newId()
  await store.run(createIdentity, { id, body: { name: 'actor', type: 'Default', isAdmin: true } }, system)
  return id
}

for (const database of DATABASES) {
  test(`I-02 a session opened while its identity is being disabled is gone when the identity is enabled again, on ${database}`, async (t) => {
    const store = await openTestStore(t, database)
    const id = await makeAdministrator(store)
    const logIn = () =>
      store.run(createApiSession, newSession({ identityId: id, authenticatorId: 'x', now: NOW }), system)
    const countSessions = async () =>
      (await store.db.selectFrom('api_sessions').select('id').where('identity_id', '=', id).execute()).length
    for (let round = 0; round < ROUNDS; round += 1) {
      const logins = Promise.allSettled(Array.from({ length: LOGINS_AT_ONCE }, logIn))
      await store.run(disableIdentity, { id, durationMinutes: 0 }, system)
      await logins
      await store.run(enableIdentity, { id }, system)
      assert.equal(await countSessions(), 0, `round ${round}`)
    }
    await logIn()
    assert.equal(await countSessions(), 1)
  })
}

/** A store on PostgreSQL, and a transaction of another node that has begun. */
async function setUpNodes(t: Parameters<typeof openTestStore>[0]) {
  const url = await (await getPostgres()).createDatabase()
  const store = await openPostgresStore({ url, nodeId: newId(), now: NOW, onWarning: () => {} })
  const other = new pg.Client({ connectionString: url })
  await other.connect()
  t.after(async () => {
    await other.end()
    await store.close()
  })
  const id = await makeAdministrator(store)
  const isWaiting = async () => {
    const { rows } = await other.query("select 1 from pg_stat_activity where wait_event_type = 'Lock'")
    return rows.length > 0
  }
  /** Resolves when the other node's statements are run and `write` waits for them; commits them. */
  const commitDuring = async (write: Promise<unknown>) => {
    const settled = write.catch(() => {})
    while (!(await isWaiting())) assert.equal(await Promise.race([settled.then(() => 'done'), sleep(5)]), undefined)
    await other.query('commit')
  }
  return { store, other, id, commitDuring }
}

test('I-02 a login waits for another node that is disabling the identity, and is then refused', async (t) => {
  const { store, other, id, commitDuring } = await setUpNodes(t)
  const logIn = () =>
    store.run(createApiSession, newSession({ identityId: id, authenticatorId: 'x', now: NOW }), system)
  await logIn()
  await other.query('begin')
  await other.query('update identities set disabled_at = 1 where id = $1', [id])
  const login = logIn()
  await commitDuring(login)
  await assert.rejects(login, { code: 'INVALID_AUTH' })
})

test('N-01 a write waits for another node that is ending the actor’s session, and is then refused', async (t) => {
  const { store, other, id, commitDuring } = await setUpNodes(t)
  const actor = await logInAs(store, id, NOW)
  const rename = () => store.run(patchIdentity, { id, body: { name: newId() } }, actor)
  await rename()
  await other.query('begin')
  await other.query('select pg_advisory_xact_lock_shared(1129270867, 2)')
  await other.query('delete from api_sessions where id = $1', [actor.credential.sessionId])
  const write = rename()
  await commitDuring(write)
  await assert.rejects(write, { code: 'UNAUTHORIZED' })
})
