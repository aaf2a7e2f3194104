import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findChanges } from './state-changes.ts'

test('lists the members that differ, by their path', () => {
  const before = { name: 'a', updatedAt: 1, tags: {}, primary: { cert: { allowed: true }, x: 1 }, list: ['a'] }
  const after = { name: 'b', updatedAt: 2, tags: { t: null }, primary: { cert: { allowed: false }, x: 1 }, list: ['a'] }
  assert.deepEqual(findChanges(before, after), [
    { name: 'name', before: 'a', after: 'b' },
    { name: 'primary.cert.allowed', before: 'true', after: 'false' },
    { name: 'tags', before: '{}', after: undefined },
    { name: 'tags.t', before: undefined, after: 'null' },
  ])
})

test('a created entity has only new values, a deleted one only old ones', () => {
  assert.deepEqual(findChanges(null, { name: 'a' }), [{ name: 'name', before: undefined, after: 'a' }])
  assert.deepEqual(findChanges({ name: 'a' }, null), [{ name: 'name', before: 'a', after: undefined }])
  assert.deepEqual(findChanges(null, null), [])
})
