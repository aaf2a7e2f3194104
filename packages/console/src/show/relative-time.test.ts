import assert from 'node:assert/strict'
import { test } from 'node:test'
import { relativeTime } from './relative-time.ts'

const MINUTE = 60_000
const DAY = 86_400_000

test('an instant is described by its largest unit, in the past and the future', () => {
  const rows: readonly (readonly [number, string])[] = [
    [0, 'just now'],
    [-59_000, 'just now'],
    [30_000, 'in less than a minute'],
    [-MINUTE, '1 minute ago'],
    [-59 * MINUTE, '59 minutes ago'],
    [-60 * MINUTE, '1 hour ago'],
    [-23 * 60 * MINUTE, '23 hours ago'],
    [-DAY, 'yesterday'],
    [-3 * DAY, '3 days ago'],
    [DAY, 'tomorrow'],
    [29 * DAY, 'in 29 days'],
    [31 * DAY, 'next month'],
    [-400 * DAY, 'last year'],
    [800 * DAY, 'in 2 years'],
  ]
  for (const [distance, text] of rows) assert.equal(relativeTime(1_000_000_000_000 + distance, 1_000_000_000_000), text)
})
