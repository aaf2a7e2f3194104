import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { listTurn, pageTurn } from '../../src/http/pipeline/list-turns.ts'

const STEP_MS = 3

function spin(ms: number): void {
  for (const until = performance.now() + ms; performance.now() < until; );
}

/** Runs steps of lists at the same time. Returns the callers in the order in which their steps ended, with the turn of the event loop of each. */
async function stepsOf(callers: readonly string[], ms: number) {
  await nextTurn()
  await nextTurn()
  let turn = 0
  let isRunning = true
  const count = (): void => {
    turn += 1
    if (isRunning) setImmediate(count)
  }
  setImmediate(count)
  const steps: { readonly caller: string; readonly turn: number }[] = []
  const runStep = async (caller: string) => {
    spin(ms)
    steps.push({ caller, turn })
  }
  await Promise.all(
    callers.map((caller) => listTurn({ caller, sessionId: 'session', limit: 10 })(() => runStep(caller))),
  )
  isRunning = false
  return steps
}

const times = (count: number, caller: string) => Array.from({ length: count }, () => caller)

test('M-16 the lists of one caller take turns of the event loop, however short they are, and callers take turns', async () => {
  const steps = await stepsOf([...times(20, 'one'), 'other'], STEP_MS)
  const turns = steps.map(({ turn }) => turn)
  assert.equal(new Set(turns).size, 21, turns.join())
  assert.ok(steps.findIndex(({ caller }) => caller === 'other') <= 2, JSON.stringify(steps))
})

test('M-16 lists that take little time together do not wait for a turn', async () => {
  const steps = await stepsOf(times(20, 'one'), 0)
  const turns = new Set(steps.map(({ turn }) => turn)).size
  // One, unless the machine is busy.
  assert.ok(turns <= 5, String(turns))
})

test('M-16 of the large pages of a caller one step runs at a time, and of all callers two', async () => {
  let running = 0
  let most = 0
  const runStep = (caller: string, limit: number | 'none') =>
    listTurn({ caller, sessionId: 'session', limit })(async () => {
      running += 1
      most = Math.max(most, running)
      await nextTurn()
      running -= 1
    })
  await Promise.all(times(10, 'one').map((caller) => runStep(caller, 500)))
  assert.equal(most, 1)
  await Promise.all(['one', 'two', 'three', 'four'].map((caller) => runStep(caller, 'none')))
  assert.equal(most, 2)
})

test('M-16 the sessions of one caller take turns, so that a thief of one leaves the owner theirs', async () => {
  const ended: string[] = []
  const runStep = (session: string) =>
    listTurn({ caller: 'one', sessionId: session, limit: 10 })(async () => {
      spin(STEP_MS)
      ended.push(session)
    })
  await Promise.all([...times(30, 'stolen'), 'own'].map(runStep))
  // Eight of the other session run when it comes.
  assert.ok(ended.indexOf('own') <= 10, ended.join())
})

test('M-16 of one session a thousand steps wait, and further ones are refused, but none of others', async () => {
  const held = Promise.withResolvers<void>()
  const callers = [...times(1_010, 'one'), 'other']
  const steps = callers.map((caller) => listTurn({ caller, sessionId: 'session', limit: 10 })(() => held.promise))
  held.resolve()
  const refused = (await Promise.allSettled(steps)).filter((result) => result.status === 'rejected')
  // Eight run.
  assert.deepEqual(
    refused.map(({ reason }) => reason.code),
    ['SERVER_TOO_MANY_REQUESTS', 'SERVER_TOO_MANY_REQUESTS'],
  )
})

test('M-15 few pages are read at a time, of one caller and of all, and short ones do not wait for large ones', async () => {
  const held = Promise.withResolvers<void>()
  const begun: string[] = []
  const readPage = (caller: string, limit: number) =>
    pageTurn({ caller, sessionId: 'session', limit }, () => {
      begun.push(`${caller} ${limit}`)
      return held.promise
    })
  const callers = [...times(20, 'one'), ...Array.from({ length: 40 }, (_, nth) => `caller ${nth}`)]
  const pages = callers.map((caller) => readPage(caller, 500))
  await nextTurn()
  assert.deepEqual([begun.length, begun.filter((page) => page === 'one 500').length], [32, 8])
  pages.push(readPage('one', 20))
  await nextTurn()
  assert.equal(begun.at(-1), 'one 20')
  held.resolve()
  await Promise.all(pages)
  assert.equal(begun.length, 61)
})
