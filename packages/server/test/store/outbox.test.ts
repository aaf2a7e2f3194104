import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { newId } from '@countersign/core'
import { arrangeRecords } from '../../src/operations/event-sink/arrange-records.ts'
import { createSink } from '../../src/operations/event-sink/create-sink.ts'
import { recordEvents } from '../../src/operations/event-sink/record-events.ts'
import { eventLines } from '../../src/store/event-lines.ts'
import { eventsOf } from '../../src/store/outbox-row.ts'
import { loadOutbox } from '../../src/store/reads/event-sink-reads.ts'
import type { Store } from '../../src/store/store.ts'
import { DATABASES, openTestStore, stopPostgres } from './open-test-stores.ts'

after(stopPostgres)

const EVENTS = 200

const eventsAfter = async (store: Pick<Store, 'db'>, after: number) =>
  (await loadOutbox(store.db, after, 'near')).flatMap(eventsOf).filter(({ position }) => position > after)

for (const name of DATABASES) {
  test(`Z-02 on ${name} a cursor reads each of many concurrent events once, in one order`, async (t) => {
    const store = await openTestStore(t, name)
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
        const events = eventLines([{ id: `${actor}-${event}`, at: 1, text: '{}' }])
        await store.run(recordEvents, {}, { actorId: `actor-${actor}`, now: 1, events })
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
