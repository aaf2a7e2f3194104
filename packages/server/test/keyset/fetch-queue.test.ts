import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FetchQueue } from '../../src/keyset/fetch-queue.ts'
import { settle } from './fake-time.ts'

/** A queue whose tasks run until they are released. */
function setUp(maxPerPriority: number) {
  const queue = new FetchQueue(maxPerPriority)
  const running = new Map<string, () => void>()
  const started: string[] = []
  const add = (id: string, owner: string, priority: 'urgent' | 'background' = 'urgent') =>
    queue.run({ id, owner }, priority, () => {
      started.push(id)
      return new Promise<void>((resolve) => running.set(id, resolve))
    })
  const release = async (id: string) => {
    running.get(id)?.()
    running.delete(id)
    await settle()
  }
  return { queue, running, started, add, release }
}

test('F-14 eighty slow fetches of one owner leave room for others', async () => {
  const { add, started, release } = setUp(8)
  for (let index = 0; index < 80; index++) void add(`slow ${index}`, 'tenant')
  assert.deepEqual(started, ['slow 0', 'slow 1'])
  void add('fine', 'signer')
  assert.equal(started.at(-1), 'fine')
  await release('slow 0')
  assert.equal(started.at(-1), 'slow 2')
})

test('F-14 when the queue is full, owners take turns', async () => {
  const { add, started, running, release } = setUp(8)
  for (const owner of ['a', 'b', 'c', 'd', 'e']) {
    for (let index = 0; index < 10; index++) void add(`${owner}${index}`, owner)
  }
  assert.equal(running.size, 8)
  void add('late', 'z')
  const before = started.length
  for (const id of [...running.keys()]) await release(id)
  assert.ok(started.slice(before).includes('late'), 'within one turn')
  assert.equal(running.size, 8)
})

test('a queued fetch can become urgent or be dropped', async () => {
  const { queue, add, started } = setUp(1)
  void add('first', 'a', 'background')
  void add('second', 'b', 'background')
  const dropped = add('third', 'c', 'background')
  assert.deepEqual(started, ['first'])
  queue.promote({ id: 'second', owner: 'b' })
  assert.deepEqual(started, ['first', 'second'])
  queue.drop({ id: 'third', owner: 'c' })
  await dropped
  assert.equal(started.length, 2)
})
