import { type Aggregator, AggregatorRegistry, type Registry } from 'prom-client'

interface MetricSnapshot {
  readonly name: string
  readonly help: string
  readonly type: string | number
  readonly aggregator: Aggregator
  readonly values: readonly object[]
}

/** The measurements of one process at one moment. */
export type MetricsSnapshot = readonly MetricSnapshot[]

/** What can be sent to another process. */
export async function takeMetrics(registry: Registry): Promise<MetricsSnapshot> {
  const metrics = await registry.getMetricsAsJSON()
  return metrics.map(({ name, help, type, aggregator, values }) => ({ name, help, type, aggregator, values }))
}

/** Puts together the measurements of all processes of a node, those that have ended included: what was counted stays counted. */
export interface GatheredMetrics {
  /** The last measurements of a process that has ended. */
  retire(last: MetricsSnapshot): void
  gather(running: readonly MetricsSnapshot[]): Registry
}

/** The types of what only grows; the library says them in words or in numbers. */
const GROWING: ReadonlySet<string | number> = new Set(['counter', 'histogram', 0, 2])

export function createGatheredMetrics(): GatheredMetrics {
  let retired: MetricsSnapshot = []
  const aggregate = (snapshots: readonly MetricsSnapshot[]): Registry => AggregatorRegistry.aggregate([...snapshots])
  return {
    retire: (last) => {
      const grown = last.filter(({ type, aggregator }) => GROWING.has(type) && aggregator === 'sum')
      const sum = aggregate([retired, grown])
      void takeMetrics(sum).then((taken) => {
        retired = taken
      })
    },
    // The first of its name says how a measurement is put together: one that runs.
    gather: (running) => aggregate([...running, retired]),
  }
}
