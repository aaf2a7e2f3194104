import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { GroupedQueue } from '../../src/platform/grouped-queue.ts'

test('groups take turns, and so do the members of a group, however many it has', async () => {
  const queue = new GroupedQueue({ atOnce: 1, maxWaiting: 10 })
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

test('work of a member beyond the limit is refused, and that of others and of other groups is not', async () => {
  const queue = new GroupedQueue({ atOnce: 2, maxWaiting: 2 })
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
  const queue = new GroupedQueue({ atOnce: 1, maxWaiting: 1 })
  await assert.rejects(
    queue.run('one', 'a', () => Promise.reject(new RangeError('no'))),
    RangeError,
  )
  assert.ok(!queue.hasWork('one'))
  assert.equal(await queue.run('one', 'a', async () => 1), 1)
})
