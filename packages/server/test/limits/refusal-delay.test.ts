import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { RefusalDelay } from '../../src/limits/refusal-delay.ts'

const MAX_MS = 750
const ONE = '192.0.2.1'
const OTHER = '192.0.2.2'

function setUp(t: TestContext, max = { maxPerNetwork: 500, maxHeld: 2_000 }) {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let now = 1_800_000_000_000
  const delay = new RefusalDelay({ clock: { now: () => now } }, { undelayed: { burst: 3, perSecond: 1 }, ...max })
  const many = (address: string, times: number) => Array.from({ length: times }, () => delay.wait(address))
  const advance = (ms: number): void => {
    now += ms
  }
  return { many, advance }
}

const isHeld = (delay: unknown): boolean => delay !== undefined

test('R-01 the first refusals are sent at once, later ones delayed, and after a while at once again', async (t) => {
  const { many, advance } = setUp(t)
  assert.deepEqual(many(ONE, 5).map(isHeld), [false, false, false, true, true])
  assert.deepEqual(many(OTHER, 3).map(isHeld), [false, false, false], 'another client has its own count')
  const [held] = many(ONE, 1)
  const sent: string[] = []
  void held?.then(() => sent.push('sent'))
  t.mock.timers.tick(100)
  await Promise.resolve()
  assert.deepEqual(sent, [])
  t.mock.timers.tick(MAX_MS)
  await held
  advance(2_000)
  assert.deepEqual(many(ONE, 3).map(isHeld), [false, false, true])
})

test('R-01 the number of delayed refusals is bounded, per client and in total, and each one sent makes room', async (t) => {
  const { many } = setUp(t, { maxPerNetwork: 2, maxHeld: 3 })
  const one = many(ONE, 9)
  assert.deepEqual(one.map(isHeld), [false, false, false, true, true, false, false, false, false])
  const other = many(OTHER, 5)
  assert.deepEqual(other.map(isHeld), [false, false, false, true, false], 'one more fits, up to three in total')
  t.mock.timers.tick(MAX_MS)
  await Promise.all([...one, ...other])
  assert.deepEqual(many(ONE, 3).map(isHeld), [true, true, false])
})
