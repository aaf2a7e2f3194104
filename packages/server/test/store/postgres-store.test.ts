import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { after, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { newId } from '@countersign/core'
import pg from 'pg'
import { createApiSession } from '../../src/operations/api-session/start-session.ts'
import { createFirstAdmin } from '../../src/operations/start/create-first-admin.ts'
import { pruneChangeLog } from '../../src/operations/upkeep/prune-change-log.ts'
import { StartupError } from '../../src/platform/startup-error.ts'
import type { Change } from '../../src/store/change.ts'
import { openStore } from '../../src/store/open-store.ts'
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts'
import { getPostgres, stopPostgres } from './open-test-stores.ts'
import { TEST_WRITER_ENTRY } from './test-writer.ts'

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
function elsewhere(url: string): string {
  const other = new URL(url)
  other.pathname = '/postgres'
  return other.href
}

async function openNode(t: TestContext, url: string, options: { readonly staleMs?: number } = {}) {
  const problems: string[] = []
  const onProblem = (message: string) => void problems.push(message)
  const store = await openPostgresStore({ url, nodeId: newId(), now: meta.now, onProblem, ...options })
  t.after(() => store.close())
  const heard: (readonly Change[] | 'everything')[] = []
  const waiting: (() => void)[] = []
  store.onChange((changes) => {
    heard.push(changes)
    for (const wake of waiting.splice(0)) wake()
  })
  const hears = async (isIt: (changes: readonly Change[] | 'everything') => boolean): Promise<void> => {
    while (!heard.some(isIt)) await new Promise<void>((resolve) => waiting.push(resolve))
  }
  return { store, heard, hears, problems }
}

test('D13 a node hears of the writes of another', { timeout: 10_000 }, async (t) => {
  const url = await (await getPostgres()).createDatabase()
  const one = await openNode(t, url)
  const two = await openNode(t, url)
  await one.store.run(createFirstAdmin, firstAdmin(), meta)
  await two.hears((changes) => changes !== 'everything' && changes.some(({ entity }) => entity === 'authPolicies'))
  assert.equal(one.heard.length, 1, 'a node hears of its own write once')
})

test('nodes that start together on an empty database make one schema and one administrator', async (t) => {
  const url = await (await getPostgres()).createDatabase()
  const nodes = await Promise.all([openNode(t, url), openNode(t, url), openNode(t, url)])
  const made = await Promise.all(nodes.map(({ store }) => store.run(createFirstAdmin, firstAdmin(), meta)))
  assert.deepEqual(made.sort(), [false, false, true])
})

test('a node whose connections were cut forgets what it remembers, and goes on', { timeout: 20_000 }, async (t) => {
  const url = await (await getPostgres()).createDatabase()
  const node = await openNode(t, url)
  await node.store.run(createFirstAdmin, firstAdmin(), meta)
  const admin = new pg.Client({ connectionString: url })
  await admin.connect()
  t.after(() => admin.end())
  const everyoneElse = `select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`
  await admin.query(everyoneElse)
  await node.hears((changes) => changes === 'everything')
  // A connection of the pool may not have noticed yet; each one that is found broken is replaced.
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

test('D13 S-13 a node that hears of no changes any more forgets again and again, until it does', {
  timeout: 20_000,
}, async (t) => {
  const url = await (await getPostgres()).createDatabase()
  const node = await openNode(t, url, { staleMs: 100 })
  const [admin, outside] = [
    new pg.Client({ connectionString: url }),
    new pg.Client({ connectionString: elsewhere(url) }),
  ]
  for (const client of [admin, outside]) {
    await client.connect()
    t.after(() => client.end())
  }
  const { database } = admin
  const letIn = (isAllowed: boolean) => outside.query(`alter database "${database}" allow_connections ${isAllowed}`)
  const forgotten = async (times: number) => {
    while (node.heard.filter((changes) => changes === 'everything').length < times) await sleep(20)
  }
  await node.store.db.selectFrom('identities').selectAll().execute()
  await letIn(false)
  await admin.query(`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name = 'countersign-changes'`)
  await forgotten(4)
  await node.store.db.selectFrom('identities').selectAll().execute()
  await letIn(true)
  const isTold = (changes: readonly Change[] | 'everything') => changes !== 'everything'
  while (!node.heard.some(isTold)) {
    await admin.query(`select pg_notify('countersign_changes', '{"from":"other","changes":[],"count":0}')`)
    await sleep(50)
  }
  const { length } = node.heard.filter((changes) => changes === 'everything')
  await sleep(500)
  assert.equal(node.heard.filter((changes) => changes === 'everything').length, length, 'it hears again')
})

test('a node notices a change that it was not told of, however many have signed in', { timeout: 20_000 }, async (t) => {
  const url = await (await getPostgres()).createDatabase()
  const node = await openNode(t, url)
  const admin = firstAdmin()
  await node.store.run(createFirstAdmin, admin, meta)
  for (let logins = 5; logins > 0; logins -= 1) await node.store.run(createApiSession, newSession(admin), meta)
  assert.equal(node.heard.length, 1, 'caches need not hear of new sessions')
  const silent = new pg.Client({ connectionString: url })
  await silent.connect()
  t.after(() => silent.end())
  await silent.query(`insert into change_log (at, entity, entity_id, action, actor_id)
    values (1, 'identities', 'x', 'updated', 'tester')`)
  await node.hears((changes) => changes === 'everything')
  assert.deepEqual(node.problems, ['changes of other nodes were not told, so that everything is read anew'])
})

const open = (database: string) =>
  openStore({
    writer: TEST_WRITER_ENTRY,
    database,
    sqliteFile: '',
    nodeId: 'n',
    now: meta.now,
    onProblem: () => {},
    onFatal: () => {},
  })

test('a database that cannot be reached is named without its password; one that can opens', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  await assert.rejects(open(`postgres://somebody:s3cret@127.0.0.1:${port}/nothing`), (error) => {
    assert.ok(error instanceof StartupError)
    assert.ok(error.message.includes(`127.0.0.1:${port}`), error.message)
    assert.ok(!error.message.includes('s3cret'))
    return true
  })
  const store = await open(await (await getPostgres()).createDatabase())
  await store.close()
})
