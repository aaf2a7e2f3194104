import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mapInTurns } from '../../src/platform/map-in-turns.ts'

test('long work in turns ends at its time', async () => {
  const double = (value: number) => value * 2
  assert.deepEqual(await mapInTurns([1, 2], double), [2, 4])
  assert.deepEqual(await mapInTurns([1, 2], double, { untilMs: performance.now() + 60_000 }), [2, 4])
  await assert.rejects(mapInTurns([1], double, { untilMs: performance.now() - 1 }), { code: 'TIMEOUT' })
})
