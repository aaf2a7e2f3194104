import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listTurn } from '../../src/http/pipeline/list-turns.ts'

/** Runs steps of lists at the same time. Returns the callers in the order in which their steps ended, with the turn of the event loop of each. */
async function stepsOf(lists: readonly { readonly caller: string; readonly limit: number | 'none' }[]) {
  let turn = 0
  let isRunning = true
  const count = (): void => {
    turn += 1
    if (isRunning) setImmediate(count)
  }
  setImmediate(count)
  const steps: { readonly caller: string; readonly turn: number }[] = []
  await Promise.all(
    lists.map(({ caller, limit }) =>
      listTurn(
        caller,
        limit,
      )(async () => {
        steps.push({ caller, turn })
      }),
    ),
  )
  isRunning = false
  return steps
}

const times = (count: number, caller: string, limit: number | 'none') =>
  Array.from({ length: count }, () => ({ caller, limit }))

for (const limit of [51, 'none'] as const) {
  test(`M-16 the lists of one caller with the limit ${limit} take turns, and callers do`, async () => {
    const steps = await stepsOf([...times(20, 'one', limit), ...times(1, 'other', limit)])
    const ofOne = steps.filter(({ caller }) => caller === 'one').map(({ turn }) => turn)
    assert.equal(new Set(ofOne).size, 20)
    assert.ok(steps.findIndex(({ caller }) => caller === 'other') <= 2)
  })
}

test('M-16 short pages do not wait', async () => {
  const steps = await stepsOf(times(20, 'one', 50))
  assert.equal(new Set(steps.map(({ turn }) => turn)).size, 1)
})

test('M-16 of one caller a hundred steps wait, and further ones are refused', async () => {
  const results = await Promise.allSettled(
    times(103, 'one', 500).map(({ caller, limit }) => listTurn(caller, limit)(async () => {})),
  )
  const refused = results.filter((result) => result.status === 'rejected')
  assert.deepEqual(
    refused.map(({ reason }) => reason.code),
    ['SERVER_TOO_MANY_REQUESTS', 'SERVER_TOO_MANY_REQUESTS'],
  )
})
