import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Outbox } from '../../src/platform/outbox.ts'

test('the items of one turn are sent together, in order and up to a limit, and an empty outbox sends nothing', async () => {
  const sent: number[][] = []
  const outbox = new Outbox<number>(3, (items) => void sent.push(items))
  outbox.add(1)
  outbox.add(2)
  assert.deepEqual(sent, [])
  outbox.add(3)
  assert.deepEqual(sent, [[1, 2, 3]])
  outbox.add(4)
  await nextTurn()
  assert.deepEqual(sent, [[1, 2, 3], [4]])
  outbox.add(5)
  outbox.flush()
  assert.deepEqual(sent.at(-1), [5])
  await nextTurn()
  outbox.flush()
  assert.equal(sent.length, 3)
})
