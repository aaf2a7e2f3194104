import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { FuzzTarget } from './fuzz-target.ts'
import { FUZZ_TARGETS } from './fuzz-targets.ts'
import { createMutator } from './mutate.ts'
import { runTarget, SLOW_MS } from './run-target.ts'

/** `npm run fuzz` runs as many as wanted. */
const RUNS = 5_000
const SEED = 20_260_601

describe('parsers of untrusted input', () => {
  for (const target of FUZZ_TARGETS) {
    it(`${target.name}: ${RUNS} mutated inputs of seed ${SEED} are accepted or refused, each within ${SLOW_MS} ms`, () => {
      const { runs, accepted, findings } = runTarget(target, { runs: RUNS, seed: SEED })
      const messages = findings.map(({ fault, input }) => `${fault}\n${Buffer.from(input).toString('base64')}`)
      assert.deepEqual(messages, [])
      assert.equal(runs, RUNS)
      assert.ok(accepted > RUNS / 100 && accepted < RUNS / 2, `${accepted} were accepted`)
    })
  }
})

/** A target with its own `accepts`. */
const targetWith = (accepts: FuzzTarget['accepts']): FuzzTarget => ({
  name: 'test',
  createInputs: (random) =>
    createMutator(random, { corpus: [Buffer.from('{"a":1}')], dictionary: ['b'], maxLength: 64 }),
  accepts,
})

describe('runTarget', () => {
  it('reports a fault once, with the smallest input that shows it', () => {
    const target = targetWith((input) => {
      if (input.includes('b')) throw new TypeError('b is not supported')
      return true
    })
    const { findings } = runTarget(target, { runs: 1000, seed: 1 })
    assert.equal(findings.length, 1)
    assert.match(findings[0]?.fault ?? '', /TypeError: b is not supported/)
    assert.deepEqual(findings[0]?.input, Buffer.from('b'))
    const correct = runTarget(
      targetWith((input) => !input.includes('b')),
      { runs: 1000, seed: 1 },
    )
    assert.deepEqual([correct.findings, correct.accepted > 0 && correct.accepted < 1000], [[], true])
  })

  it('reports an input that is slow every time, but not one that was slow once', () => {
    const spin = (): void => {
      for (const end = performance.now() + SLOW_MS + 20; performance.now() < end; );
    }
    const always = targetWith(() => {
      spin()
      return true
    })
    assert.match(runTarget(always, { runs: 1, seed: 1 }).findings[0]?.fault ?? '', /^took/)
    let calls = 0
    const once = targetWith(() => {
      calls += 1
      if (calls === 1) spin()
      return true
    })
    assert.deepEqual(runTarget(once, { runs: 10, seed: 1 }).findings, [])
  })

  it('generates the same inputs from the same seed, and others from another seed', () => {
    const inputsOf = (seed: number): string[] => {
      const inputs: string[] = []
      runTarget(
        targetWith((input) => inputs.push(input.toString('latin1')) > 0),
        { runs: 50, seed },
      )
      return inputs.filter((input) => input !== '{"a":1}')
    }
    assert.deepEqual([...new Set(inputsOf(1))], [...new Set(inputsOf(1))])
    assert.notDeepEqual(inputsOf(1), inputsOf(2))
  })
})
