import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BoundedCache } from './bounded-cache.ts'

test('a full cache forgets what was used longest ago', () => {
  const cache = new BoundedCache<string, number>(2)
  cache.set('a', 1)
  cache.set('b', 2)
  assert.equal(cache.get('a'), 1)
  cache.set('c', 3)
  assert.deepEqual([cache.get('a'), cache.get('b'), cache.get('c')], [1, undefined, 3])
  assert.equal(cache.size, 2)
})

test('setting a key again replaces its value without growing', () => {
  const cache = new BoundedCache<string, number>(2)
  cache.set('a', 1)
  cache.set('a', 2)
  assert.equal(cache.size, 1)
  assert.equal(cache.get('a'), 2)
})

test('what is deleted or cleared is gone', () => {
  const cache = new BoundedCache<string, number>(5)
  cache.set('a', 1)
  cache.set('b', 2)
  cache.delete('a')
  assert.deepEqual([...cache.values()], [2])
  cache.clear()
  assert.equal(cache.size, 0)
})
