import assert from 'node:assert/strict'
import { after, type TestContext, test } from 'node:test'
import { newId } from '@countersign/core'
import { arrangeRecords } from '../../src/operations/event-sink/arrange-records.ts'
import { createSink } from '../../src/operations/event-sink/create-sink.ts'
import { recordEvents } from '../../src/operations/event-sink/record-events.ts'
import { eventLines } from '../../src/store/event-lines.ts'
import { MIGRATIONS } from '../../src/store/migrations/migrations.ts'
import { eventsOf } from '../../src/store/outbox-row.ts'
import { hasPendingRecords, loadOutbox } from '../../src/store/reads/event-sink-reads.ts'
import { openSqliteStore } from '../../src/store/sqlite/sqlite-store.ts'
import type { Store } from '../../src/store/store.ts'
import { makeEmptyDatabase, makeSqliteFile } from './empty-database.ts'
import { DATABASES, openTestStore, stopPostgres } from './open-test-stores.ts'
import { startThreadWriter } from './test-writer.ts'

after(stopPostgres)

const EVENTS = 200

const eventLine = (id: string, organizationId?: string): string =>
  eventLines([{ id, at: 1, text: '{}', organizationId }])

const eventsAfter = async (store: Pick<Store, 'db'>, after: number) =>
  (await loadOutbox(store.db, after, 'near')).flatMap(eventsOf).filter(({ position }) => position > after)

/** Stores with one database. */
const SHARED: Readonly<Record<string, (t: TestContext) => Promise<[Store, ...Store[]]>>> = {
  sqlite: async (t) => [await openTestStore(t, 'sqlite')],
  'sqlite with two workers': async (t) => {
    const file = makeSqliteFile(t)
    const open = async (): Promise<Store> => {
      const store = await openSqliteStore({ startWriter: startThreadWriter, file, now: 1, isShared: true })
      t.after(() => store.close())
      return store
    }
    return [await open(), await open()]
  },
  postgres: async (t) => [await openTestStore(t, 'postgres')],
}

for (const [name, open] of Object.entries(SHARED)) {
  test(`Z-02 on ${name} a cursor reads each of many concurrent events once, in one order`, async (t) => {
    const stores = await open(t)
    const [store] = stores
    const meta = { actorId: 'system', now: 1 }
    const body = { name: 'sink', kind: 'file' as const }
    await store.run(createSink, { id: newId(), body, secret: null }, meta)
    const read: { readonly id: string; readonly position: number }[] = []
    let reading: Promise<unknown> = Promise.resolve()
    // One read after the other, as a sink does.
    const readOn = (): Promise<unknown> => {
      reading = reading.then(async () => {
        for (let found = -1; found < read.length; ) {
          found = read.length
          read.push(...(await eventsAfter(store, read.at(-1)?.position ?? 0)))
        }
      })
      return reading
    }
    // Each actor has transactions of its own, and numbers its events.
    const write = async (actor: number): Promise<void> => {
      for (let event = 0; event < EVENTS / 10; event++) {
        const events = eventLine(`${actor}-${event}`)
        const own = stores[actor % stores.length] ?? store
        await own.run(recordEvents, {}, { actorId: `actor-${actor}`, now: 1, events })
        if (event % 3 === 0) await Promise.all([store.run(arrangeRecords, {}, meta), readOn()])
      }
    }
    await Promise.all(Array.from({ length: 10 }, (_, actor) => write(actor)))
    while (await store.run(arrangeRecords, {}, meta));
    await readOn()
    const numbered = read.filter(({ id }) => /^\d+-\d+$/.test(id))
    assert.equal(numbered.length, EVENTS)
    assert.equal(new Set(numbered.map(({ id }) => id)).size, EVENTS)
    assert.deepEqual(
      read.map(({ position }) => position),
      read.map((_, index) => index + 1),
    )
    for (let actor = 0; actor < 10; actor++) {
      const own = numbered.filter(({ id }) => id.startsWith(`${actor}-`)).map(({ id }) => Number(id.split('-')[1]))
      assert.deepEqual(
        own,
        own.toSorted((a, b) => a - b),
        'the events of one actor are in their order',
      )
    }
  })
}

for (const name of DATABASES) {
  test(`Z-01 on ${name} a delivery takes a thousand events, and fewer if they are long`, async (t) => {
    const store = await openTestStore(t, name)
    const meta = { actorId: 'system', now: 1 }
    const body = { name: 'sink', kind: 'file' as const }
    await store.run(createSink, { id: newId(), body, secret: null }, meta)
    const record = async (count: number, text: string): Promise<void> => {
      const events = eventLines(Array.from({ length: count }, () => ({ id: newId(), at: 1, text })))
      await store.run(recordEvents, {}, { ...meta, events })
      while (await store.run(arrangeRecords, {}, meta));
    }
    const positionsAfter = async (after: number) => (await eventsAfter(store, after)).map(({ position }) => position)
    const range = (first: number, last: number) => Array.from({ length: last + 1 - first }, (_, at) => first + at)
    await record(1_250, '{}')
    const newest = (await positionsAfter(1_000)).at(-1) ?? 0
    assert.deepEqual(await positionsAfter(0), range(1, 1_000))
    assert.deepEqual(await positionsAfter(1_000), range(1_001, newest))
    assert.deepEqual(await positionsAfter(newest), [])
    await record(300, `{"long":"${'x'.repeat(10_000)}"}`)
    assert.equal((await positionsAfter(newest)).length, 200)
    assert.equal((await positionsAfter(newest + 200)).length, 100)
  })
}

test('Z-02 no event overtakes a change of the same commit', async (t) => {
  const store = await openTestStore(t, 'sqlite')
  const meta = { actorId: 'system', now: 1 }
  const create = (name: string) =>
    store.run(createSink, { id: newId(), body: { name, kind: 'file' }, secret: null }, meta)
  await create('one')
  while (await store.run(arrangeRecords, {}, meta));
  const newest = (await eventsAfter(store, 0)).at(-1)?.position ?? 0
  const record = (id: string) => store.run(recordEvents, {}, { ...meta, events: eventLine(id) })
  // Writes of one turn of the event loop share a commit.
  await Promise.all([record('before'), create('two'), record('after')])
  while (await store.run(arrangeRecords, {}, meta));
  const found = (await eventsAfter(store, newest)).map(({ id, text }) => (text === '{}' ? id : 'change'))
  assert.deepEqual(found, ['before', 'change', 'after'])
})

for (const name of DATABASES) {
  test(`Z-01 on ${name} an event has its place when its operation is acknowledged, or waits for it`, async (t) => {
    const store = await openTestStore(t, name)
    const meta = { actorId: 'system', now: 1 }
    const idsAfter = async (position: number) => (await eventsAfter(store, position)).map(({ id }) => id)
    await store.run(recordEvents, {}, { ...meta, events: eventLine('without-sinks') })
    await store.run(createSink, { id: newId(), body: { name: 'sink', kind: 'file' }, secret: null }, meta)
    while (await store.run(arrangeRecords, {}, meta));
    const newest = (await eventsAfter(store, 0)).at(-1)?.position ?? 0
    const events = [eventLine('first'), eventLine('of-others', 'other'), eventLine('second')].join('\n')
    await store.run(recordEvents, {}, { ...meta, events })
    const isWaiting = await hasPendingRecords(store.db)
    assert.deepEqual([isWaiting, await idsAfter(newest)], name === 'sqlite' ? [false, ['first', 'second']] : [true, []])
    while (await store.run(arrangeRecords, {}, meta));
    assert.deepEqual(await idsAfter(newest), ['first', 'second'])
    assert.ok(!(await idsAfter(0)).includes('without-sinks'))
  })

  test(`Z-01 S-16 on ${name} events follow those that the previous release left without a position`, async (t) => {
    const database = await makeEmptyDatabase(t, name)
    await database.migrate(1, MIGRATIONS)
    const insert = (kind: string, content: string) =>
      `insert into pending_records (node, at, kind, content) values ('node', 1, '${kind}', '${content}')`
    const sink = `insert into event_sinks (id, name, kind, format, enabled, position, tags, created_at, updated_at)
      values ('sink', 'sink', 'file', 'json', ${database.words.yes}, 0, '{}', 1, 1)`
    const change = { entity: 'identities', action: 'created', id: 'identity', eventId: 'change' }
    const states = { initial: null, final: '{}' }
    const changed = JSON.stringify({
      operation: 'identity.create',
      meta: { actorId: 'system' },
      change: { ...change, states },
    })
    const decided = JSON.stringify({ at: 1, dropped: 1, decisions: [] })
    await database.run(
      sink,
      insert('event', JSON.stringify({ id: 'oldest', text: '{}' })),
      insert('events', eventLine('older')),
      insert('change', changed),
      insert('decisions', decided),
    )
    const store = await database.open(2)
    t.after(() => store.close())
    const meta = { actorId: 'system', now: 2, node: 'node' }
    const ids = async () => (await eventsAfter(store, 0)).map(({ id }) => id)
    await store.run(recordEvents, {}, { ...meta, events: eventLine('new') })
    assert.deepEqual(await ids(), [], 'nothing overtakes')
    while (await store.run(arrangeRecords, {}, meta));
    await store.run(recordEvents, {}, { ...meta, events: eventLine('newest') })
    while (await store.run(arrangeRecords, {}, meta));
    assert.deepEqual(await ids(), ['oldest', 'older', 'change', 'new', 'newest'])
    const chained = await store.db
      .selectFrom('audit_entries')
      .select(['sequence', 'action'])
      .orderBy('sequence')
      .execute()
    assert.deepEqual(
      chained.map(({ action }) => action),
      ['identity.create', 'refusals.dropped'],
    )
  })
}

test('Z-04 a delivery takes no events beyond those that are deleted while it reads', async (t) => {
  // Its connection can write, unlike that of SQLite.
  const store = await openTestStore(t, 'postgres')
  const meta = { actorId: 'system', now: 1 }
  await store.run(createSink, { id: newId(), body: { name: 'sink', kind: 'file' }, secret: null }, meta)
  const events = eventLines(Array.from({ length: 299 }, () => ({ id: newId(), at: 1, text: '{}' })))
  await store.run(recordEvents, {}, { ...meta, events })
  while (await store.run(arrangeRecords, {}, meta));
  assert.equal((await eventsAfter(store, 0)).length, 300)
  await store.db.deleteFrom('event_outbox').where('position', '=', 200).execute()
  assert.equal((await eventsAfter(store, 0)).length, 100)
})
