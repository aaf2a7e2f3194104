import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countEventLines, eventLines, readEventLines } from '../../src/store/event-lines.ts'
import { recordOfEvents } from '../../src/store/record-events.ts'
import { joinRecords } from '../../src/store/writes/record-writes.ts'

const FIRST = { id: 'a', at: 1, organizationId: undefined, text: '{"text":"with spaces, and \\n"}' }
const SECOND = { id: 'b', at: 2, organizationId: 'organization', text: '{}' }

test('the lines of events are read as they were written', () => {
  const lines = eventLines([FIRST, SECOND])
  assert.deepEqual(readEventLines(lines), [FIRST, SECOND])
  assert.equal(countEventLines(lines), 2)
})

test('events of operations that are committed together share a row, in the order of all records', () => {
  const events = (node: string, event: typeof FIRST) =>
    ({ node, at: event.at, kind: 'events', content: eventLines([event]) }) as const
  const change = { node: 'n', at: 3, kind: 'change', content: '{}' } as const
  const joined = joinRecords([events('n', FIRST), events('n', FIRST), change, events('n', FIRST), events('m', FIRST)])
  assert.deepEqual(
    joined.map(({ node, kind, content }) => [node, kind, content.split('\n').length]),
    [
      ['n', 'events', 2],
      ['n', 'change', 1],
      ['n', 'events', 1],
      ['m', 'events', 1],
    ],
  )
  assert.deepEqual(joinRecords([]), [])
  const many = joinRecords(Array.from({ length: 100 }, () => events('n', FIRST)))
  assert.deepEqual(
    many.map(({ content }) => countEventLines(content)),
    [64, 36],
  )
})

test('an operation without events records none', () => {
  const meta = { actorId: 'actor', now: 1 }
  assert.deepEqual([recordOfEvents(meta), recordOfEvents({ ...meta, events: eventLines([]) })], [[], []])
  assert.equal(recordOfEvents({ ...meta, events: eventLines([FIRST]) }).length, 1)
})
