import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shortenedEvent } from './shorten-event.ts'
import { eventSubject } from './sink-event.ts'

const LONG = 'x'.repeat(2_000)
const ENVELOPE = { namespace: 'entityChange', event_src_id: 'node', eventType: 'updated' }

test('Z-01 a shortened event lacks its long members alone, also those of a state, and says so', () => {
  const tags = { team: 'a' }
  const members = {
    ...ENVELOPE,
    message: LONG,
    list: [LONG],
    initialState: null,
    finalState: { id: 'a', tags, pem: LONG },
  }
  const event = { id: 'event-1', position: 7, at: 1, text: JSON.stringify(members) }
  const short = shortenedEvent(event)
  assert.deepEqual(JSON.parse(short.text), {
    ...ENVELOPE,
    initialState: null,
    finalState: { id: 'a', tags },
    shortened: true,
  })
  assert.deepEqual({ ...short, text: '' }, { ...event, text: '' })
  assert.equal(eventSubject(short), 'a')
})
