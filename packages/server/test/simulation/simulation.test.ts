import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PLANTED_BUGS } from './planted-bugs.ts'
import { runSeeds } from './run-seeds.ts'
import { runSimulation } from './run-simulation.ts'

const SEEDS = 50
/** The rarest planted bug shows in one of 15 simulations. */
const PLANTED_SEEDS = 200

test('D13 S-03 S-08 S-13 nodes with faults of network, database and clocks keep no ended session and lose no write', async () => {
  const { accepted, declined, acknowledged, unknown } = await runSeeds({ from: 1, count: SEEDS })
  for (const count of [accepted, declined, acknowledged, unknown]) assert.ok(count > SEEDS, 'each of them happens')
})

test('a seed repeats its simulation', async () => {
  const [one, same, other] = [await runSimulation(1), await runSimulation(1), await runSimulation(2)]
  assert.equal(one.trace, same.trace)
  assert.notEqual(one.trace, other.trace)
})

for (const { name, parts, violation } of PLANTED_BUGS) {
  test(`the simulation finds ${name}`, async () => {
    for (let seed = 1; seed <= PLANTED_SEEDS; seed++) {
      const { violations } = await runSimulation(seed, parts)
      if (violations.some((found) => violation.test(found))) return
    }
    assert.fail('no simulation has found it')
  })
}

test('a violation is reported with its seed and what led to it', async () => {
  const [bug] = PLANTED_BUGS
  await assert.rejects(runSeeds({ from: 1, count: SEEDS, parts: bug?.parts ?? {} }), (error: Error) => {
    assert.match(error.message, /everything is repaired.*seed (\d+) violates.*simulation --seed=\1$/s)
    return true
  })
})
