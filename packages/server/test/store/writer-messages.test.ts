import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventLines } from '../../src/store/event-lines.ts'
import { toWriter, writesOf } from '../../src/store/sqlite/writer-messages.ts'

test('a write reaches the writer thread as it was sent, with the text of its events beside the JSON', () => {
  const meta = { actorId: 'system', now: 1 }
  const events = eventLines([{ id: 'event', at: 1, text: '{"type":"\\u2028"}' }])
  const writes = [
    { id: 1, name: 'with-events', args: { id: 'a' }, meta: { ...meta, events } },
    { id: 2, name: 'without', args: null, meta },
  ]
  const message = toWriter(writes)
  assert.notEqual(message, 'close')
  if (message === 'close') return
  assert.deepEqual(message.events, [events, undefined])
  assert.ok(!message.writes.includes('event 1'))
  assert.deepEqual(writesOf(structuredClone(message)), writes)
})
