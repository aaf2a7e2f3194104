import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Slots } from './slots.ts'

test('each item has its own slot until it is removed', () => {
  const slots = new Slots<string>()
  const [a, b] = [slots.add('a'), slots.add('b')]
  assert.notEqual(a, b)
  assert.equal(slots.take(a), 'a')
  assert.equal(slots.take(a), undefined)
  assert.equal(slots.size, 1)
  const c = slots.add('c')
  assert.notEqual(c, b)
  assert.deepEqual([slots.take(b), slots.take(c), slots.size], ['b', 'c', 0])
})

test('uses no more slots than the maximum number of items at once', () => {
  const slots = new Slots<number>()
  const numbers = new Set<number>()
  for (let round = 0; round < 1000; round += 1) {
    const taken = [slots.add(round), slots.add(round), slots.add(round)]
    for (const slot of taken) {
      numbers.add(slot)
      slots.take(slot)
    }
  }
  assert.equal(numbers.size, 3)
})

test('removes the items that match, or all', () => {
  const slots = new Slots<number>()
  for (const thing of [1, 2, 3, 4]) slots.add(thing)
  assert.deepEqual(
    slots.takeAll((thing) => thing % 2 === 0),
    [2, 4],
  )
  assert.equal(slots.size, 2)
  assert.deepEqual(slots.takeAll(), [1, 3])
  assert.equal(slots.size, 0)
  assert.equal(slots.take(99), undefined)
})
