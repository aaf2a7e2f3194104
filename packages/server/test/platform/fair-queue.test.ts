import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FairQueue } from '../../src/platform/fair-queue.ts'

/** Work that runs until it is finished by name. */
function createSteps(queue: FairQueue) {
  const started: string[] = []
  const finish = new Map<string, () => void>()
  const add = (key: string, name: string) =>
    queue.run(key, () => {
      started.push(name)
      return new Promise<string>((resolve) => finish.set(name, () => resolve(name)))
    })
  const end = async (name: string) => {
    finish.get(name)?.()
    await new Promise((resolve) => setImmediate(resolve))
  }
  return { started, add, end }
}

test('keys take turns, however much work one of them has', async () => {
  const { started, add, end } = createSteps(new FairQueue({ atOnce: 1, maxWaiting: 10 }))
  const all = [add('a', 'a1'), add('a', 'a2'), add('a', 'a3'), add('b', 'b1'), add('c', 'c1')]
  for (const name of ['a1', 'b1', 'c1', 'a2', 'a3']) await end(name)
  assert.deepEqual(started, ['a1', 'b1', 'c1', 'a2', 'a3'])
  assert.deepEqual(await Promise.all(all), ['a1', 'a2', 'a3', 'b1', 'c1'])
})

test('one key does not get all places', async () => {
  const { started, add, end } = createSteps(new FairQueue({ atOnce: 2, perKey: 1, maxWaiting: 10 }))
  const all = [add('a', 'a1'), add('a', 'a2'), add('b', 'b1')]
  assert.deepEqual(started, ['a1', 'b1'])
  await end('b1')
  assert.deepEqual(started, ['a1', 'b1'])
  await end('a1')
  assert.deepEqual(started, ['a1', 'b1', 'a2'])
  await end('a2')
  await Promise.all(all)
})

test('the work of one key runs in its order, and that of others beside it', async () => {
  const { started, add, end } = createSteps(new FairQueue({ atOnce: Infinity, perKey: 1, maxWaiting: 10 }))
  const all = [add('a', 'a1'), add('a', 'a2'), add('b', 'b1'), add('a', 'a3'), add('c', 'c1')]
  assert.deepEqual(started, ['a1', 'b1', 'c1'])
  for (const name of ['a1', 'a2', 'a3', 'b1', 'c1']) await end(name)
  assert.deepEqual(started, ['a1', 'b1', 'c1', 'a2', 'a3'])
  await Promise.all(all)
})

test('a key that has had its turn is behind those that came meanwhile', async () => {
  const { started, add, end } = createSteps(new FairQueue({ atOnce: 2, perKey: 1, maxWaiting: 10 }))
  const all = [add('a', 'a1'), add('b', 'b1'), add('a', 'a2'), add('b', 'b2'), add('c', 'c1')]
  for (const name of ['b1', 'c1', 'b2', 'a1', 'a2']) await end(name)
  assert.deepEqual(started, ['a1', 'b1', 'c1', 'b2', 'a2'])
  await Promise.all(all)
})

test('work that waits is dropped when its signal aborts, and work that runs is not', async () => {
  const queue = new FairQueue({ atOnce: 1, maxWaiting: 1 })
  const stop = new AbortController()
  const held = Promise.withResolvers<string>()
  const running = queue.run('a', () => held.promise, stop)
  const waiting = queue.run('a', async () => assert.fail('it was dropped'), stop)
  stop.abort(new Error('no longer wanted'))
  await assert.rejects(waiting, /no longer wanted/)
  await assert.rejects(
    queue.run('b', async () => 'late', stop),
    /no longer wanted/,
  )
  const next = queue.run('a', async () => 'next')
  held.resolve('done')
  assert.deepEqual(await Promise.all([running, next]), ['done', 'next'])
})

test('work that fails gives its place to the next', async () => {
  const queue = new FairQueue({ atOnce: 1, maxWaiting: 1 })
  const failing = queue.run('a', async () => Promise.reject(new Error('failed')))
  const next = queue.run('a', async () => 'done')
  await assert.rejects(
    queue.run('a', async () => 'one too many'),
    { code: 'SERVER_TOO_MANY_REQUESTS' },
  )
  await assert.rejects(failing, /failed/)
  assert.equal(await next, 'done')
})

test('rejectOlderThan rejects what has waited for so many milliseconds, and not what runs', async () => {
  const queue = new FairQueue({ atOnce: 1, maxWaiting: 10 })
  const { started, add, end } = createSteps(queue)
  const [running, waiting] = [add('a', 'a1'), add('b', 'b1')]
  queue.rejectOlderThan(60_000, new Error('too early'))
  queue.rejectOlderThan(0, new Error('waited too long'))
  await assert.rejects(waiting, /waited too long/)
  await end('a1')
  assert.equal(await running, 'a1')
  assert.deepEqual(started, ['a1'])
  const next = add('b', 'b2')
  await end('b2')
  assert.equal(await next, 'b2')
})

test('work whose turn comes after more than the longest wait fails with TIMEOUT, and gives its turn to the next', async () => {
  const queue = new FairQueue({ atOnce: 1, maxWaiting: 10, maxWaitMs: 60_000 })
  const held = Promise.withResolvers<string>()
  const running = queue.run('a', () => held.promise)
  const late = queue.run('a', async () => assert.fail('it was late'), { since: performance.now() - 60_001 })
  const next = queue.run('a', async () => 'next', { since: performance.now() - 1_000 })
  held.resolve('done')
  assert.equal(await running, 'done')
  await assert.rejects(late, { code: 'TIMEOUT' })
  assert.equal(await next, 'next')
})
