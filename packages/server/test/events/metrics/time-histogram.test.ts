import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AggregatorRegistry, Histogram, Registry } from 'prom-client'
import { snapshotMetrics } from '../../../src/events/metrics/metrics-aggregator.ts'
import { TimeHistogram } from '../../../src/events/metrics/time-histogram.ts'

const ABOUT = { name: 'some_seconds', help: 'Some times', buckets: [0.0005, 0.001, 0.25, 1] }

/** Records the same times in this histogram and in the library's. */
function observe(times: readonly number[]) {
  const [ours, theirs] = [new Registry(), new Registry()]
  const histograms = [
    new TimeHistogram({ ...ABOUT, registers: [ours] }),
    new Histogram({ ...ABOUT, registers: [theirs] }),
  ]
  for (const histogram of histograms) for (const time of times) histogram.observe(time)
  return { ours, theirs }
}

for (const times of [[], [0], [0.0005, 0.00050001, 0.001, 0.2, 0.25, 0.3, 1, 1.0001, 99]]) {
  test(`reports ${times.length} times as the library's histogram does`, async () => {
    const { ours, theirs } = observe(times)
    assert.equal(await ours.metrics(), await theirs.metrics())
    assert.deepEqual(await gather(ours), await gather(theirs))
    ours.resetMetrics()
    assert.equal(await ours.metrics(), await observe([]).theirs.metrics())
  })
}

/** Aggregates the metrics of two processes with these measurements. */
async function gather(registry: Registry): Promise<string> {
  const taken = await snapshotMetrics(registry)
  return AggregatorRegistry.aggregate([[...taken], [...taken]]).metrics()
}
