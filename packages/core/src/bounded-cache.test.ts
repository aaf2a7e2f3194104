import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BoundedCache } from './bounded-cache.ts'

test('a full cache evicts the least recently used entry', () => {
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

test('setting a key again counts as a use', () => {
  const cache = new BoundedCache<string, number>(2)
  cache.set('a', 1)
  cache.set('b', 2)
  cache.set('a', 3)
  cache.set('c', 4)
  assert.deepEqual([cache.peek('a'), cache.peek('b'), cache.peek('c')], [3, undefined, 4])
})

test('deleted and cleared entries are gone', () => {
  const cache = new BoundedCache<string, number>(5)
  cache.set('a', 1)
  cache.set('b', 2)
  cache.delete('a')
  assert.deepEqual([...cache.values()], [2])
  cache.clear()
  assert.equal(cache.size, 0)
})

test('a cache that is too heavy evicts until it is not, the new entry last', () => {
  const cache = new BoundedCache<string, string>(10, { max: 10, of: (text) => text.length })
  cache.set('a', 'xxxx')
  cache.set('b', 'xxxx')
  assert.equal(cache.get('a'), 'xxxx')
  cache.set('c', 'xxxx')
  assert.deepEqual([...cache.entries()].map(([key]) => key).sort(), ['a', 'c'])
  cache.set('c', 'x')
  cache.set('d', 'xxxxx')
  assert.deepEqual([...cache.entries()].map(([key]) => key).sort(), ['a', 'c', 'd'])
  cache.set('e', 'x'.repeat(11))
  assert.equal(cache.size, 0)
})

test('peeking at an entry does not count as a use', () => {
  const cache = new BoundedCache<string, number>(2)
  cache.set('a', 1)
  cache.set('b', 2)
  assert.equal(cache.peek('a'), 1)
  cache.set('c', 3)
  assert.equal(cache.get('a'), undefined)
})

test('behaves like a plain list of keys in order of use, for any sequence of calls', () => {
  const random = seeded(7)
  const cache = new BoundedCache<number, number>(8)
  let model: [number, number][] = []
  for (let step = 0; step < 20_000; step += 1) {
    const key = Math.floor(random() * 16)
    const found = model.find(([known]) => known === key)
    const others = model.filter((entry) => entry !== found)
    const act = Math.floor(random() * 3)
    if (act === 0) {
      cache.set(key, step)
      model = [...others, [key, step] as [number, number]].slice(-8)
    } else if (act === 1) {
      assert.equal(cache.get(key), found?.[1])
      if (found) model = [...others, found]
    } else {
      cache.delete(key)
      model = others
    }
    assert.equal(cache.size, model.length)
  }
  assert.deepEqual(
    [...cache.entries()].sort(([a], [b]) => a - b),
    model.sort(([a], [b]) => a - b),
  )
})

/** A deterministic generator of numbers from 0 to 1. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return state / 2_147_483_648
  }
}
