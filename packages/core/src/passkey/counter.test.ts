import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isCounterBehind } from './counter.ts'

test('a counter must grow, unless the authenticator does not count', () => {
  assert.equal(isCounterBehind(0, 0), false)
  assert.equal(isCounterBehind(1, 0), false)
  assert.equal(isCounterBehind(8, 7), false)
  assert.equal(isCounterBehind(7, 7), true)
  assert.equal(isCounterBehind(6, 7), true)
  assert.equal(isCounterBehind(0, 7), true)
})
