import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { nameMatcher } from './name-pattern.ts'

test('without % the whole name must match, in any letter case', () => {
  assert.equal(nameMatcher('Demo One')('demo one'), true)
  assert.equal(nameMatcher('Demo')('Demo One'), false)
  assert.equal(nameMatcher('ＤＥＭＯ')('demo'), true)
})

test('each % stands for any text, including none', () => {
  for (const pattern of ['Demo%', '%one', 'd%o%e', '%', 'demo one%', '%%', '%mo on%']) {
    assert.equal(nameMatcher(pattern)('Demo One'), true, pattern)
  }
  for (const pattern of ['Demx%', '%two', 'one%', 'd%x%e', 'demo one%e', '%demo one%demo']) {
    assert.equal(nameMatcher(pattern)('Demo One'), false, pattern)
  }
  assert.equal(nameMatcher('aa%aa')('aaa'), false)
})

test('patterns match like the equivalent regular expression', () => {
  const letters = fc.string({ unit: fc.constantFrom('a', 'b', '%'), maxLength: 8 })
  const names = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 10 })
  fc.assert(
    fc.property(letters, names, (pattern, name) => {
      const expected = new RegExp(`^${pattern.replaceAll('%', '.*')}$`).test(name)
      assert.equal(nameMatcher(pattern)(name), expected)
    }),
  )
})
