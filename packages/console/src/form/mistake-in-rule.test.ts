import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findMarkedLine } from './mistake-in-rule.ts'

test('a mistake is marked in its line', () => {
  const error = 'acceptRule has a mistake at line 2, column 4: unexpected end'
  assert.deepEqual(findMarkedLine('true\n&& x', error), { line: '&& x', mark: '   ^' })
  assert.equal(findMarkedLine('true', error), undefined)
  assert.equal(findMarkedLine('true', 'At most 4096 characters'), undefined)
})
