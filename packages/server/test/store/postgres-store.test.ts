import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { after, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { newId } from '@countersign/core'
import pg from 'pg'
import { createApiSession } from '../../src/operations/api-session/start-session.ts'
import { createFirstAdmin } from '../../src/operations/start/create-first-admin.ts'
import { ensureSetting } from '../../src/operations/start/ensure-setting.ts'
import { pruneChangeLog } from '../../src/operations/upkeep/prune-change-log.ts'
import { StartupError } from '../../src/platform/startup-error.ts'
import type { Change } from '../../src/store/change.ts'
import { openStore } from '../../src/store/open-store.ts'
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts'
import { until } from '../keyset/fake-time.ts'
import { getPostgres, stopPostgres } from './open-test-stores.ts'
import { startThreadWriter } from './test-writer.ts'

after(stopPostgres)

const meta = { actorId: 'system', now: 1_700_000_000_000 }
const firstAdmin = () => ({
  identityId: newId(),
  authenticatorId: newId(),
  username: 'admin',
  passwordDigest: 'digest',
})

const newSession = ({ identityId, authenticatorId }: ReturnType<typeof firstAdmin>) => ({
  id: newId(),
  tokenDigest: newId(),
  identityId,
  method: 'password' as const,
  authenticatorId,
  ipAddress: '127.0.0.1',
  configTypes: [],
  expiresAt: meta.now + 1_000,
  endsAt: meta.now + 2_000,
  envInfo: undefined,
  sdkInfo: undefined,
  maxPerIdentity: 100,
})

/** Another database of the same server. */
function otherDatabase(url: string): string {
  const other = new URL(url)
  other.pathname = '/postgres'
  return other.href
}

async function openNode(t: TestContext, url: string, options: { readonly staleMs?: number } = {}) {
  const warnings: string[] = []
  const onWarning = (message: string) => void warnings.push(message)
  const store = await openPostgresStore({ url, nodeId: newId(), now: meta.now, onWarning, ...options })
  t.after(() => store.close())
  const heard: (readonly Change[] | 'everything')[] = []
  const waiting: (() => void)[] = []
  store.onChange((changes) => {
    heard.push(changes)
    for (const wake of waiting.splice(0)) wake()
  })
  const hears = async (matches: (changes: readonly Change[] | 'everything') => boolean): Promise<void> => {
    while (!heard.some(matches)) await new Promise<void>((resolve) => waiting.push(resolve))
  }
  return { store, heard, hears, warnings }
}

test('D13 a node is notified of the writes of another', { timeout: 10_000 }, async (t) => {
  const url = await (await getPostgres()).createDatabase()
  const one = await openNode(t, url)
  const two = await openNode(t, url)
  await one.store.run(createFirstAdmin, firstAdmin(), meta)
  await two.hears((changes) => changes !== 'everything' && changes.some(({ entity }) => entity === 'authPolicies'))
  assert.equal(one.heard.length, 1, 'a node is notified of its own write once')
})

test('nodes that start together on an empty database create one schema and one administrator', async (t) => {
  const url = await (await getPostgres()).createDatabase()
  const nodes = await Promise.all([openNode(t, url), openNode(t, url), openNode(t, url)])
  const created = await Promise.all(nodes.map(({ store }) => store.run(createFirstAdmin, firstAdmin(), meta)))
  assert.deepEqual(created.sort(), [false, false, true])
})

test('a node whose connections were cut clears its caches, and continues', { timeout: 20_000 }, async (t) => {
  const url = await (await getPostgres()).createDatabase()
  const node = await openNode(t, url)
  await node.store.run(createFirstAdmin, firstAdmin(), meta)
  const admin = new pg.Client({ connectionString: url })
  await admin.connect()
  t.after(() => admin.end())
  const terminateOthers = `select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`
  await admin.query(terminateOthers)
  await node.hears((changes) => changes === 'everything')
  // A pooled connection may not have noticed yet; each broken one is replaced.
  const untilItWorks = async <T>(attempt: () => Promise<T>): Promise<T> => {
    for (;;) {
      try {
        return await attempt()
      } catch {
        await sleep(20)
      }
    }
  }
  const rows = await untilItWorks(() => node.store.db.selectFrom('identities').selectAll().execute())
  assert.equal(rows.length, 1)
  await untilItWorks(() => node.store.run(pruneChangeLog, {}, meta))
})

test('D13 S-13 a node without change notifications clears its caches repeatedly, until they work again', {
  timeout: 20_000,
}, async (t) => {
  const url = await (await getPostgres()).createDatabase()
  const node = await openNode(t, url, { staleMs: 100 })
  const [admin, outside] = [
    new pg.Client({ connectionString: url }),
    new pg.Client({ connectionString: otherDatabase(url) }),
  ]
  for (const client of [admin, outside]) {
    await client.connect()
    t.after(() => client.end())
  }
  const { database } = admin
  const setConnectable = (isAllowed: boolean) =>
    outside.query(`alter database "${database}" allow_connections ${isAllowed}`)
  const untilCleared = async (times: number) => {
    while (node.heard.filter((changes) => changes === 'everything').length < times) await sleep(20)
  }
  await node.store.db.selectFrom('identities').selectAll().execute()
  await setConnectable(false)
  await admin.query(`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name = 'countersign-feed'`)
  await untilCleared(4)
  await node.store.db.selectFrom('identities').selectAll().execute()
  await setConnectable(true)
  const isChange = (changes: readonly Change[] | 'everything') => changes !== 'everything'
  while (!node.heard.some(isChange)) {
    await admin.query(`select pg_notify('countersign_changes', '{"from":"other","changes":[],"count":0}')`)
    await sleep(50)
  }
  const { length } = node.heard.filter((changes) => changes === 'everything')
  await sleep(500)
  assert.equal(node.heard.filter((changes) => changes === 'everything').length, length, 'notifications work again')
})

test('a node notices a missed notification, however many logins there were', { timeout: 20_000 }, async (t) => {
  const url = await (await getPostgres()).createDatabase()
  const node = await openNode(t, url)
  const admin = firstAdmin()
  await node.store.run(createFirstAdmin, admin, meta)
  for (let logins = 5; logins > 0; logins -= 1) await node.store.run(createApiSession, newSession(admin), meta)
  assert.equal(node.heard.length, 1, 'caches are not notified of new sessions')
  const withoutNotify = new pg.Client({ connectionString: url })
  await withoutNotify.connect()
  t.after(() => withoutNotify.end())
  await withoutNotify.query(`insert into change_log (at, entity, entity_id, action, actor_id)
    values (1, 'identities', 'x', 'updated', 'tester')`)
  await node.hears((changes) => changes === 'everything')
  assert.deepEqual(node.warnings, ['notifications of changes were missed, so all caches were cleared'])
})

/** The lock that serializes operations. */
const WRITE_LOCK = '1129270867, 2'

/** A busy machine also makes a node clear its caches. */
const PATIENT = { staleMs: 60_000 }

test('S-07 D13 a write that was rolled back makes no node clear its caches', { timeout: 20_000 }, async (t) => {
  const url = await (await getPostgres()).createDatabase()
  const one = await openNode(t, url, PATIENT)
  const two = await openNode(t, url, PATIENT)
  const admin = new pg.Client({ connectionString: url })
  await admin.connect()
  t.after(() => admin.end())
  await admin.query(
    `begin; insert into change_log (at, entity, entity_id, action, actor_id) values (1, 'x', 'x', 'x', 'x'); rollback`,
  )
  await one.store.run(createFirstAdmin, firstAdmin(), meta)
  await sleep(1_500)
  assert.deepEqual([one.warnings, two.warnings], [[], []])
  assert.ok(![...one.heard, ...two.heard].includes('everything'))
  assert.ok(two.heard.length > 0)
})

test('F-14 a login waits for a few writes of an organization, however many there are', {
  timeout: 20_000,
}, async (t) => {
  const url = await (await getPostgres()).createDatabase()
  const { store } = await openNode(t, url)
  const admin = firstAdmin()
  await store.run(createFirstAdmin, admin, meta)
  const other = new pg.Client({ connectionString: url })
  await other.connect()
  t.after(() => other.end())
  await other.query(`select pg_advisory_lock(${WRITE_LOCK})`)
  let written = 0
  const writes = Array.from({ length: 60 }, async (_, nth) => {
    const setting = { name: `setting-${nth}`, value: 'value' }
    await store.run(ensureSetting, setting, { ...meta, actorId: `account-${nth}`, organizationId: 'busy' })
    written += 1
  })
  const login = store.run(createApiSession, newSession(admin), { ...meta, actorId: admin.identityId })
  await until(async () => (await waitingForLocks(other)) === 2)
  await other.query(`select pg_advisory_unlock(${WRITE_LOCK})`)
  await login
  assert.ok(written <= 16, `${written} writes`)
  await Promise.all(writes)
  assert.equal(written, 60)
})

async function waitingForLocks(client: pg.Client): Promise<number> {
  const { rows } = await client.query(`select count(*)::int as count from pg_locks where not granted`)
  return rows[0].count
}

const open = (database: string) =>
  openStore({
    startWriter: startThreadWriter,
    database,
    sqliteFile: '',
    nodeId: 'n',
    now: meta.now,
    onWarning: () => {},
    onFatal: () => {},
  })

test('an unreachable database is named without its password; a reachable one opens', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  await assert.rejects(open(`postgres://alice:s3cret@127.0.0.1:${port}/nothing`), (error) => {
    assert.ok(error instanceof StartupError)
    assert.ok(error.message.includes(`127.0.0.1:${port}`), error.message)
    assert.ok(!error.message.includes('s3cret'))
    return true
  })
  const store = await open(await (await getPostgres()).createDatabase())
  await store.close()
})
