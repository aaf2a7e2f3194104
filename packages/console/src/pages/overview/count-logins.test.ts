import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countByMinute, countReasons } from './count-logins.ts'

const event = (timestamp: string, success: boolean, reason = '') => ({
  streamId: timestamp,
  namespace: 'authentication',
  timestamp,
  success,
  reason,
})
const now = Date.parse('2026-11-15T10:02:30Z')
const events = [
  event('2026-11-15T09:59:59Z', true),
  event('2026-11-15T10:00:00Z', false, 'token-expired'),
  event('2026-11-15T10:02:01Z', true),
  event('2026-11-15T10:02:29Z', false, 'token-expired'),
  event('2026-11-15T10:02:30Z', false, 'disabled'),
]

test('countByMinute counts logins per minute and ignores older ones', () => {
  const counts = countByMinute(events, now, 3).map(({ accepted, refused }) => [accepted, refused])
  assert.deepEqual(counts, [
    [0, 1],
    [0, 0],
    [1, 2],
  ])
})

test('countReasons counts refusals by reason, most frequent first', () => {
  assert.deepEqual(countReasons(events), [
    { reason: 'token-expired', count: 2 },
    { reason: 'disabled', count: 1 },
  ])
})
