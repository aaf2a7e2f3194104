import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { GroupedQueue } from '../../src/platform/grouped-queue.ts'

test('groups take turns, and so do the members of a group, however many it has', async () => {
  const queue = new GroupedQueue({ atOnce: 1, maxWaiting: 10, maxWaitMs: 60_000 })
  const order: string[] = []
  const run = (group: string, member: string) =>
    queue.run(group, member, async () => {
      await nextTurn()
      order.push(`${group} ${member}`)
    })
  const work = ['a', 'a', 'a', 'b', 'c'].map((member) => run('many', member))
  await Promise.all([...work, run('one', 'd')])
  assert.ok(order.indexOf('one d') <= 1, order.join())
  assert.ok(order.indexOf('many c') < order.lastIndexOf('many a'), order.join())
  assert.ok(!queue.hasWork('many'))
})

test('of a group as much work runs at the same time as may, and its members take turns', async () => {
  const queue = new GroupedQueue({ atOnce: 3, perGroup: 2, maxWaiting: 10, maxWaitMs: 60_000 })
  const running: string[] = []
  const held = Promise.withResolvers<void>()
  const order: string[] = []
  const run = (group: string, member: string) =>
    queue.run(group, member, async () => {
      running.push(group)
      await held.promise
      order.push(`${group} ${member}`)
    })
  const work = ['a', 'a', 'a', 'a', 'b'].map((member) => run('many', member))
  const other = run('one', 'c')
  await nextTurn()
  assert.deepEqual(running, ['many', 'many', 'one'])
  held.resolve()
  await Promise.all([...work, other])
  assert.ok(order.indexOf('many b') < order.lastIndexOf('many a'), order.join())
  assert.ok(!queue.hasWork('many'))
})

test('work of a member beyond the limit is refused, and that of others and of other groups is not', async () => {
  const queue = new GroupedQueue({ atOnce: 2, maxWaiting: 2, maxWaitMs: 60_000 })
  const run = (group: string, member: string) => queue.run(group, member, () => nextTurn())
  const results = await Promise.allSettled([
    ...Array.from({ length: 4 }, () => run('one', 'busy')),
    run('one', 'other'),
    run('two', 'busy'),
  ])
  const refused = results.map(({ status }) => status === 'rejected')
  assert.deepEqual(refused, [false, false, false, true, false, false])
})

test('work that fails ends the turn of its group', async () => {
  const queue = new GroupedQueue({ atOnce: 1, maxWaiting: 1, maxWaitMs: 60_000 })
  await assert.rejects(
    queue.run('one', 'a', () => Promise.reject(new RangeError('no'))),
    RangeError,
  )
  assert.ok(!queue.hasWork('one'))
  assert.equal(await queue.run('one', 'a', async () => 1), 1)
})

test('the wait within the group and the wait for its turn count together', async () => {
  const queue = new GroupedQueue({ atOnce: 1, maxWaiting: 10, maxWaitMs: 60 })
  const held = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const running = ['one', 'other'].map((group, nth) => queue.run(group, 'a', async () => held[nth]?.promise))
  const waiting = queue.run('one', 'b', async () => assert.fail('it was late'))
  await sleep(40)
  held[0]?.resolve()
  await sleep(40)
  held[1]?.resolve()
  await Promise.all(running)
  await assert.rejects(waiting, { code: 'TIMEOUT' })
  assert.equal(await queue.run('one', 'b', async () => 1), 1)
})
