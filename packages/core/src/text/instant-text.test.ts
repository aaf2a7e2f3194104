import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { instantText } from './instant-text.ts'

const MOST = 8_640_000_000_000_000
const iso = (milliseconds: number): string => new Date(milliseconds).toISOString()

test('formats every instant like toISOString', () => {
  const known = [
    0,
    -1,
    1,
    86_399_999,
    86_400_000,
    -86_400_000,
    MOST,
    -MOST,
    Date.UTC(2024, 1, 29, 23, 59, 59, 999),
    0.9,
  ]
  for (const instant of known) assert.equal(instantText(instant), iso(instant), String(instant))
  const anyInstant = fc.oneof(fc.integer({ min: -MOST, max: MOST }), fc.integer({ min: 0, max: 4_102_444_800_000 }))
  fc.assert(
    fc.property(anyInstant, fc.integer({ min: 0, max: 172_800_000 }), (first, later) => {
      const second = Math.min(MOST, first + later)
      assert.deepEqual([first, second, first].map(instantText), [first, second, first].map(iso))
    }),
    { numRuns: 2_000 },
  )
})

test('throws for an invalid instant, and formats the next one', () => {
  for (const bad of [Number.NaN, Number.POSITIVE_INFINITY, MOST + 1, -MOST - 1]) {
    assert.throws(() => instantText(bad), RangeError, String(bad))
  }
  assert.equal(instantText(86_400_000), '1970-01-02T00:00:00.000Z')
})
