import assert from 'node:assert/strict'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { after, type TestContext, test } from 'node:test'
import { newId } from '@countersign/core'
import pg from 'pg'
import { openPostgresStore } from '../../src/store/postgres/postgres-store.ts'
import { until } from '../keyset/fake-time.ts'
import { createSigner, withDefaults } from '../keyset/key-sets.fixture.ts'
import { getPostgres, stopPostgres } from './open-test-stores.ts'

after(stopPostgres)

async function openFaulty(t: TestContext) {
  const url = await (await getPostgres()).createDatabase()
  const store = await withDefaults(await openPostgresStore({ url, nodeId: newId(), now: 1, onWarning: () => {} }))
  const admin = new pg.Client({ connectionString: url })
  await admin.connect()
  t.after(async () => {
    await admin.end()
    await store.close()
  })
  await admin.query('create sequence attempts')
  /** Makes the first `times` attempts to create a signer fail. A sequence keeps counting across rollbacks. */
  const failFirst = async (sqlState: string, times: number) => {
    await admin.query('alter sequence attempts restart')
    await admin.query(`create or replace function fail() returns trigger language plpgsql as $$ begin
      if nextval('attempts') <= ${times} then raise exception 'collided' using errcode = '${sqlState}'; end if;
      return new; end $$`)
    await admin.query(
      'create or replace trigger fails before insert on ext_jwt_signers for each row execute function fail()',
    )
  }
  const attempts = async () => Number((await admin.query('select last_value from attempts')).rows[0].last_value)
  return { store, failFirst, attempts }
}

for (const [what, sqlState] of [
  ['a serialization failure', '40001'],
  ['a deadlock', '40P01'],
] as const) {
  test(`S-07 ${what} is retried three times at most, and is a 503 after that`, async (t) => {
    const { store, failFirst, attempts } = await openFaulty(t)
    await failFirst(sqlState, 3)
    await createSigner(store, 'third-retry')
    assert.equal(await attempts(), 4)
    await failFirst(sqlState, 4)
    await assert.rejects(createSigner(store, 'one-more'), { code: 'STORE_UNAVAILABLE' })
    assert.equal(await attempts(), 4)
    const names = await store.db.selectFrom('ext_jwt_signers').select('name').execute()
    assert.deepEqual(names, [{ name: 'third-retry' }])
  })
}

test('S-07 a unique violation is not retried: it is returned at once as an error of the call', async (t) => {
  const { store, failFirst, attempts } = await openFaulty(t)
  await failFirst('40001', 0)
  await createSigner(store, 'taken')
  await assert.rejects(createSigner(store, 'taken'), { code: 'COULD_NOT_VALIDATE' })
  assert.equal(await attempts(), 2)
  await createSigner(store, 'free')
})

/** A proxy to the database that can be blocked: connections stay open, and nothing gets through, or no replies do. */
async function openBlockable(t: TestContext, url: string) {
  const { hostname, port } = new URL(url)
  const sockets = new Set<Socket>()
  const replying = new Set<Socket>()
  const server = createServer((socket) => {
    const onward = connect(Number(port), hostname)
    replying.add(onward)
    for (const each of [socket, onward]) sockets.add(each.on('error', () => {}))
    socket.pipe(onward).pipe(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const through = new URL(url)
  through.hostname = '127.0.0.1'
  through.port = String((server.address() as AddressInfo).port)
  const block = () => {
    for (const socket of sockets) socket.unpipe().pause()
  }
  const blockReplies = () => {
    for (const onward of replying) onward.unpipe().resume()
  }
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  return { url: through.href, block, blockReplies, cut }
}

test('a store whose database does not respond is closed all the same, whatever is under way', {
  timeout: 9_000,
}, async (t) => {
  const { url, block } = await openBlockable(t, await (await getPostgres()).createDatabase())
  const store = await withDefaults(await openPostgresStore({ url, nodeId: newId(), now: 1, onWarning: () => {} }))
  await createSigner(store, 'before')
  block()
  const unanswered = createSigner(store, 'never')
  unanswered.catch(() => {})
  await store.close()
})

test('D13 a commit whose reply is lost clears the caches of its own node', { timeout: 20_000 }, async (t) => {
  const direct = await (await getPostgres()).createDatabase()
  const { url, blockReplies, cut } = await openBlockable(t, direct)
  // Longer than the test, so that the lost connection of the change feed clears nothing.
  const options = { url, nodeId: newId(), now: 1, staleMs: 60_000, onWarning: () => {} }
  const store = await withDefaults(await openPostgresStore(options))
  const admin = new pg.Client({ connectionString: direct })
  await admin.connect()
  t.after(async () => {
    await admin.end()
    await store.close()
  })
  const heard: unknown[] = []
  store.onChange((changes) => void heard.push(changes))
  await createSigner(store, 'with a reply')
  assert.ok(!heard.includes('everything'))

  // The commit takes a moment, in which its reply is blocked.
  await admin.query(`create function pause() returns trigger language plpgsql as $$ begin
    perform pg_sleep(0.5); return null; end $$`)
  await admin.query(`create constraint trigger pauses after insert on ext_jwt_signers
    deferrable initially deferred for each row execute function pause()`)
  const writing = createSigner(store, 'without a reply')
  writing.catch(() => {})
  const isCommitting = async () => {
    const { rowCount } = await admin.query(`select 1 from pg_stat_activity where wait_event = 'PgSleep'`)
    return rowCount === 1
  }
  await until(isCommitting)
  blockReplies()
  const isStored = async () => {
    const { rowCount } = await admin.query(`select 1 from ext_jwt_signers where name = 'without a reply'`)
    return rowCount === 1
  }
  await until(isStored)
  assert.ok(!heard.includes('everything'))
  cut()
  await assert.rejects(writing, { code: 'STORE_UNAVAILABLE' })
  assert.ok(heard.includes('everything'))
})

test('connections on which changes cannot be followed are ended', { timeout: 20_000 }, async (t) => {
  const url = await (await getPostgres()).createDatabase()
  const store = await openPostgresStore({ url, nodeId: newId(), now: 1, onWarning: () => {} })
  const admin = new pg.Client({ connectionString: url })
  await admin.connect()
  t.after(async () => {
    await admin.end()
    await store.close()
  })
  const findFeeds = async (): Promise<number[]> => {
    const { rows } = await admin.query(`select pid from pg_stat_activity
      where datname = current_database() and application_name = 'countersign-feed'`)
    return rows.map(({ pid }) => pid)
  }
  assert.equal((await findFeeds()).length, 1)
  await admin.query('alter table change_log rename to change_log_moved')
  const seen = new Set<number>()
  await until(async () => {
    const feeds = await findFeeds()
    for (const pid of feeds) seen.add(pid)
    // The one that is being ended may overlap with its successor.
    assert.ok(feeds.length <= 2, `${feeds.length} at a time`)
    return seen.size > 4
  })
  await admin.query('alter table change_log_moved rename to change_log')
  await until(async () => (await findFeeds()).length === 1)
})
