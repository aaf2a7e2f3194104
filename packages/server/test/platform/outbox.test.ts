import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { Outbox } from '../../src/platform/outbox.ts'

test('what comes in one turn leaves together, in its order and so many at most, and nothing is sent where there is nothing', async () => {
  const sent: number[][] = []
  const outbox = new Outbox<number>(3, (things) => void sent.push(things))
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
