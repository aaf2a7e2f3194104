import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Change } from '../../src/store/change.ts'
import { ChangeFeed, type FeedConnection, type FeedListener } from '../../src/store/postgres/change-feed.ts'
import { buildNotifications, parseNotification } from '../../src/store/postgres/notification.ts'
import { createFakeTime } from '../keyset/fake-time.ts'

const CHANGE: Change = { entity: 'apiSessions', id: 'session', action: 'deleted' }
const HEARTBEAT_MS = 300

/** A feed on connections that a test controls. */
async function startFeed(t: TestContext) {
  const time = createFakeTime()
  const published: (readonly Change[] | 'everything')[] = []
  const connections: { listener: FeedListener; isEnded: boolean }[] = []
  /** What the database responds. A heartbeat that never ends has no reply. */
  const database = { newest: async (): Promise<number> => 7, canConnect: true, entries: new Set<number>(), lookups: 0 }
  const connect = async (listener: FeedListener): Promise<FeedConnection> => {
    if (!database.canConnect) throw new Error('refused')
    const connection = { listener, isEnded: false }
    connections.push(connection)
    const end = async () => {
      connection.isEnded = true
    }
    const findEntries = async (numbers: readonly number[]) => {
      database.lookups += 1
      return numbers.filter((entry) => database.entries.has(entry))
    }
    return { newest: () => database.newest(), findEntries, end }
  }
  const feed = await ChangeFeed.start({
    connect,
    scheduler: time.scheduler,
    nodeId: 'this node',
    staleMs: 1_000,
    publish: (changes) => void published.push(changes),
    onWarning: () => {},
  })
  t.after(() => feed.stop())
  /** Another node commits these entries; their notification arrives unless it is lost. */
  const commit = (entries: readonly number[], { isLost = false, from = 'other node' } = {}) => {
    for (const entry of entries) database.entries.add(entry)
    const newest = Math.max(...database.entries)
    database.newest = async () => newest
    const changes = entries.map(() => CHANGE)
    if (!isLost)
      for (const each of buildNotifications(from, { changes, entries }))
        connections.at(-1)?.listener.onNotification(each)
  }
  const openConnections = () => connections.filter(({ isEnded }) => !isEnded).length
  return { feed, time, published, connections, database, commit, openConnections }
}

const never = () => new Promise<never>(() => {})

test('D13 changes of other nodes are published, those of this node are not', async (t) => {
  const { published, commit, feed, time } = await startFeed(t)
  commit([8], { from: 'this node' })
  feed.noteOwn([8])
  commit([9])
  await time.advance(10 * HEARTBEAT_MS)
  assert.deepEqual(published, [[CHANGE]])
})

test('D13 S-13 a missed notification clears all caches within a second', async (t) => {
  const { published, commit, time } = await startFeed(t)
  commit([8], { isLost: true })
  await time.advance(1_000)
  assert.deepEqual(published, ['everything'])
  await time.advance(10 * HEARTBEAT_MS)
  assert.deepEqual(published, ['everything'], 'once')
})

test('D13 S-07 writes that were rolled back clear no caches, and do not hide a missed notification', async (t) => {
  const { published, commit, database, time } = await startFeed(t)
  commit([9])
  commit([12, 13])
  await time.advance(10 * HEARTBEAT_MS)
  assert.deepEqual(published, [[CHANGE], [CHANGE, CHANGE]])
  await time.advance(60_000)
  const { lookups } = database
  await time.advance(60_000)
  assert.equal(database.lookups, lookups, 'they are forgotten')
  commit([15], { isLost: true })
  await time.advance(1_000)
  assert.deepEqual(published.slice(2), ['everything'])
})

test('D13 a write that commits long after its number was passed over is felt, and its lost notification too', async (t) => {
  const { published, commit, time } = await startFeed(t)
  commit([10])
  await time.advance(10 * HEARTBEAT_MS)
  commit([9])
  await time.advance(10 * HEARTBEAT_MS)
  assert.deepEqual(published, [[CHANGE], [CHANGE]])
  commit([8], { isLost: true })
  await time.advance(1_000)
  assert.deepEqual(published.slice(2), ['everything'])
})

test('D13 more numbers without a notification than are looked up clear the caches', async (t) => {
  const { published, commit, time } = await startFeed(t)
  commit([1_007])
  await time.advance(10 * HEARTBEAT_MS)
  assert.deepEqual(published, [[CHANGE]])
  commit([2_008])
  await time.advance(10 * HEARTBEAT_MS)
  assert.deepEqual(published, [[CHANGE], [CHANGE], 'everything'])
})

test('D13 an own write that was noted late does not hide a missed notification', async (t) => {
  const { published, commit, feed, time } = await startFeed(t)
  // The feed has started when the entry was committed, but its reply was still on the way.
  feed.noteOwn([7])
  commit([8], { isLost: true })
  await time.advance(1_000)
  assert.deepEqual(published, ['everything'])
})

test('D13 S-13 a heartbeat without a reply clears the caches a second after the last one that proves them', async (t) => {
  const { published, database, time } = await startFeed(t)
  await time.advance(10 * HEARTBEAT_MS)
  assert.deepEqual(published, [])
  database.newest = never
  // The reply to the heartbeat before proves what was committed until the one before that was sent.
  await time.advance(1_000 - HEARTBEAT_MS - 1)
  assert.deepEqual(published, [])
  await time.advance(1)
  assert.deepEqual(published, ['everything'])
})

test('D13 S-13 caches are cleared every second while there is no connection', async (t) => {
  const { published, database, connections, time } = await startFeed(t)
  await time.advance(HEARTBEAT_MS)
  database.canConnect = false
  connections[0]?.listener.onLost()
  await time.advance(5_000)
  assert.deepEqual(published, Array(5).fill('everything'))
  database.canConnect = true
  await time.advance(500)
  const { length } = published
  await time.advance(5_000)
  assert.equal(published.length, length, 'the new connection proves them')
})

test('a connection on which the change log cannot be read is ended', async (t) => {
  const { database, connections, openConnections, time } = await startFeed(t)
  database.newest = async () => {
    throw new Error('the database is a standby now')
  }
  await time.advance(10_000)
  assert.ok(connections.length > 10, 'it is tried again and again')
  assert.equal(openConnections(), 0)
  database.newest = async () => 7
  await time.advance(1_000)
  assert.equal(openConnections(), 1)
})

test('a stopped feed ends its connection, also one that is being opened', async (t) => {
  const { feed, database, connections, openConnections, time } = await startFeed(t)
  const reply = Promise.withResolvers<number>()
  database.newest = () => reply.promise
  connections[0]?.listener.onLost()
  await time.advance(600)
  assert.equal(connections.length, 2)
  await feed.stop()
  reply.resolve(7)
  await time.advance(1_000)
  assert.equal(connections[1]?.isEnded, true)
  assert.equal(openConnections(), 1, 'the lost one has ended already')
})

test('more changes than notifications can hold are published as everything, with their entries', () => {
  const entries = Array.from({ length: 321 }, (_, index) => index + 1)
  const changes = entries.map(() => CHANGE)
  const from = 'node'
  assert.deepEqual(buildNotifications(from, { changes, entries }), [
    { from, changes: 'everything', entries: [[1, 321]] },
  ])
  const some = buildNotifications(from, { changes: changes.slice(0, 42), entries: [...entries.slice(0, 41), 50] })
  assert.deepEqual(
    some.map((notification) => [notification.changes.length, notification.entries]),
    [
      [40, [[1, 40]]],
      [
        2,
        [
          [41, 41],
          [50, 50],
        ],
      ],
    ],
  )
})

/** As nodes send them, of this release and of others. */
const PAYLOADS = [
  { release: 'this release', sent: { changes: [CHANGE], entries: [[8, 8]] }, published: [[CHANGE]] },
  { release: '0.1.0', sent: { changes: [CHANGE], count: 1 }, published: [[CHANGE], 'everything'] },
  { release: 'an unknown release', sent: { rows: [] }, published: ['everything', 'everything'] },
]
for (const { release, sent, published: expected } of PAYLOADS) {
  test(`D13 a notification of ${release} is felt within a second`, async (t) => {
    const { published, connections, database, time } = await startFeed(t)
    database.newest = async () => 8
    database.entries.add(8)
    const payload = JSON.stringify({ from: 'other node', ...sent })
    connections.at(-1)?.listener.onNotification(parseNotification(payload))
    assert.deepEqual(published, expected.slice(0, 1), 'at once')
    await time.advance(1_000)
    assert.deepEqual(published, expected)
  })
}

test('a notification that is not JSON stands for everything', () => {
  for (const payload of [undefined, '', 'x', 'null', '[]'])
    assert.deepEqual(parseNotification(payload), { from: '', changes: 'everything', entries: [] })
})
