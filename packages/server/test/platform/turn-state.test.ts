import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { TurnState } from '../../src/platform/turn-state.ts'

test('a value is the same in one turn of the event loop, and begins anew in the next', async () => {
  let begun = 0
  const state = new TurnState(() => ++begun)
  assert.deepEqual([state.current, state.current], [1, 1])
  await Promise.resolve()
  assert.equal(state.current, 1)
  await nextTurn()
  await nextTurn()
  assert.equal(begun, 1)
  assert.equal(state.current, 2)
})
