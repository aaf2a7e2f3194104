import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { newId } from '@countersign/core'
import { arrangeRecords } from '../../src/operations/event-sink/arrange-records.ts'
import { createSink } from '../../src/operations/event-sink/create-sink.ts'
import { recordEvents } from '../../src/operations/event-sink/record-events.ts'
import { loadOutbox } from '../../src/store/reads/event-sink-reads.ts'
import { DATABASES, openTestStore, stopPostgres } from './open-test-stores.ts'

after(stopPostgres)

const EVENTS = 200

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
          read.push(...(await loadOutbox(store.db, read.at(-1)?.position ?? 0)))
        }
      })
      return reading
    }
    // Each actor has transactions of its own, and numbers its events.
    const write = async (actor: number): Promise<void> => {
      for (let event = 0; event < EVENTS / 10; event++) {
        const events = [{ id: `${actor}-${event}`, text: '{}' }]
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
}
