import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseBenchOptions } from '../bench-options.ts'
import { buildGrowthSection, logarithmicRatio } from './growth-table.ts'
import { median, percentile } from './percentile.ts'
import { requestsFor, splitRequests } from './split-requests.ts'
import { readAnswers } from './steady-load.ts'

describe('the figures of the bench', () => {
  it('takes the percentile that so many do not exceed', () => {
    const hundred = Array.from({ length: 100 }, (_, at) => at + 1)
    assert.equal(percentile(hundred, 0.99), 99)
    assert.equal(percentile(hundred, 0.5), 50)
    assert.equal(percentile(hundred, 1), 100)
    assert.equal(percentile([7], 0.99), 7)
    assert.equal(percentile([], 0.99), 0)
    assert.equal(median([9, 1, 5]), 5)
  })

  it('never asks for more requests than there are, warming up included', () => {
    for (const available of [0, 1, 3, 100, 6_000, 30_000]) {
      const { warmUp, measured } = splitRequests(available)
      assert.equal(warmUp + measured, available)
      assert.ok(warmUp <= available / 2)
    }
    assert.deepEqual(splitRequests(6_000), { warmUp: 3_000, measured: 3_000 })
    assert.deepEqual(splitRequests(60_000), { warmUp: 20_000, measured: 40_000 })
    assert.deepEqual(splitRequests(Number.POSITIVE_INFINITY), { warmUp: 20_000, measured: Number.POSITIVE_INFINITY })
    assert.ok(splitRequests(requestsFor(4)).measured >= 4 * 6_500)
  })

  it('counts as failed whatever was not answered as it should', () => {
    const answers: [number, number][] = [
      ...Array.from({ length: 998 }, (): [number, number] => [200, 1]),
      [0, 5],
      [503, 9],
    ]
    assert.deepEqual(readAnswers(answers, 200), { answers: 1000, p50Ms: 1, p99Ms: 1, failedPercent: 0.2 })
    assert.equal(readAnswers(answers.slice(0, 998), 200).failedPercent, 0)
  })

  it('aims at growth no faster than the logarithm', () => {
    assert.equal(logarithmicRatio([1_000, 1_000_000]), 2)
    assert.equal(logarithmicRatio([10, 100, 10_000]), 4)
    assert.equal(logarithmicRatio([1_000]), 1)
  })

  it('compares the last size with the first, and shows only the rows that have the figure', () => {
    const row = (name: string, key: string, value: number) => ({ name, measures: { [key]: { value, bare: 1 } } })
    const section = buildGrowthSection('Growth', 'things', { key: 'cpuMs', title: 'CPU ms', digits: 3 }, [
      { size: 1_000, rows: [row('login', 'cpuMs', 0.2), row('memory', 'mib', 100)] },
      { size: 1_000_000, rows: [row('login', 'cpuMs', 0.3), row('memory', 'mib', 200)] },
    ])
    assert.deepEqual(
      section.rows.map(({ name }) => name),
      ['login'],
    )
    const { ratio, 1000: first } = section.rows[0]?.measures ?? {}
    assert.ok(Math.abs((ratio?.value ?? 0) - 1.5) < 1e-9)
    assert.deepEqual(ratio?.aim, { atMost: 2 })
    assert.deepEqual(first, { value: 0.2, bare: 1 })
  })

  it('reads the words of the command line, and sorts sizes', () => {
    const { words, options } = parseBenchOptions(['growth', '--sizes=100000,1000', '--minutes=10'])
    assert.deepEqual(words, ['growth'])
    assert.deepEqual(options.sizes, [1_000, 100_000])
    assert.equal(options.minutes, 10)
    assert.equal(options.isQuick, false)
    assert.ok(parseBenchOptions(['--quick']).options.seconds < options.seconds)
    assert.throws(() => parseBenchOptions(['--sizes=many']), /--sizes/)
    assert.throws(() => parseBenchOptions(['--size=1']))
  })
})
