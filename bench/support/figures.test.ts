import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseBenchOptions } from '../bench-options.ts'
import { buildGrowthSection, logarithmicRatio } from './growth-table.ts'
import { median, percentile } from './percentile.ts'
import { requestsFor, splitRequests } from './split-requests.ts'
import { summarizeResponses } from './steady-load.ts'

describe('bench figures', () => {
  it('returns percentiles and the median', () => {
    const hundred = Array.from({ length: 100 }, (_, at) => at + 1)
    assert.equal(percentile(hundred, 0.99), 99)
    assert.equal(percentile(hundred, 0.5), 50)
    assert.equal(percentile(hundred, 1), 100)
    assert.equal(percentile([7], 0.99), 7)
    assert.equal(percentile([], 0.99), 0)
    assert.equal(median([9, 1, 5]), 5)
  })

  it('never uses more requests than available, including the warm-up', () => {
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

  it('counts every response without the expected status as failed', () => {
    const responses: [number, number][] = [
      ...Array.from({ length: 998 }, (): [number, number] => [200, 1]),
      [0, 5],
      [503, 9],
    ]
    assert.deepEqual(summarizeResponses(responses, 200), { requests: 1000, p50Ms: 1, p99Ms: 1, failedPercent: 0.2 })
    assert.equal(summarizeResponses(responses.slice(0, 998), 200).failedPercent, 0)
  })

  it('targets growth no faster than the logarithm', () => {
    assert.equal(logarithmicRatio([1_000, 1_000_000]), 2)
    assert.equal(logarithmicRatio([10, 100, 10_000]), 4)
    assert.equal(logarithmicRatio([1_000]), 1)
  })

  it('compares the last size with the first, and shows only rows with the figure', () => {
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
    assert.deepEqual(ratio?.target, { atMost: 2 })
    assert.deepEqual(first, { value: 0.2, bare: 1 })
  })

  it('parses the command line and sorts sizes', () => {
    const { parts, options } = parseBenchOptions(['growth', '--sizes=100000,1000', '--minutes=10'])
    assert.deepEqual(parts, ['growth'])
    assert.deepEqual(options.sizes, [1_000, 100_000])
    assert.equal(options.minutes, 10)
    assert.equal(options.isQuick, false)
    assert.ok(parseBenchOptions(['--quick']).options.seconds < options.seconds)
    assert.throws(() => parseBenchOptions(['--sizes=many']), /--sizes/)
    assert.throws(() => parseBenchOptions(['--size=1']))
  })
})
