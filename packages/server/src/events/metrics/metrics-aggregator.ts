import { type Aggregator, AggregatorRegistry, type Registry } from 'prom-client'

interface MetricSnapshot {
  readonly name: string
  readonly help: string
  readonly type: string | number
  readonly aggregator: Aggregator
  readonly values: readonly object[]
}

/** The metrics of one process at one moment. */
export type MetricsSnapshot = readonly MetricSnapshot[]

/** A snapshot that can be sent to another process. */
export async function snapshotMetrics(registry: Registry): Promise<MetricsSnapshot> {
  const metrics = await registry.getMetricsAsJSON()
  return metrics.map(({ name, help, type, aggregator, values }) => ({ name, help, type, aggregator, values }))
}

/** Aggregates the metrics of all processes of a node. The last reported counts of a process that has ended stay in the totals. */
export interface MetricsAggregator {
  /** Replaces the snapshot of a worker. */
  note(worker: object, snapshot: MetricsSnapshot): void
  /** Called when a worker has ended. */
  retire(worker: object): void
  gather(): Promise<Registry>
}

/** The types that only increase, as the library names or numbers them. */
const GROWING: ReadonlySet<string | number> = new Set(['counter', 'histogram', 0, 2])

export function createMetricsAggregator(): MetricsAggregator {
  const running = new Map<object, MetricsSnapshot>()
  const ended = new WeakSet()
  let retired: Promise<MetricsSnapshot> = Promise.resolve([])
  const aggregate = (snapshots: readonly MetricsSnapshot[]): Registry => AggregatorRegistry.aggregate([...snapshots])
  return {
    note: (worker, snapshot) => {
      if (!ended.has(worker)) running.set(worker, snapshot)
    },
    retire: (worker) => {
      const last = running.get(worker) ?? []
      running.delete(worker)
      ended.add(worker)
      const grown = last.filter(({ type, aggregator }) => GROWING.has(type) && aggregator === 'sum')
      retired = retired.then((before) => snapshotMetrics(aggregate([before, grown])))
    },
    gather: async () => {
      for (;;) {
        const adding = retired
        const before = await adding
        // Running workers first: the first metric of a name decides how it is aggregated.
        if (adding === retired) return aggregate([...running.values(), before])
      }
    },
  }
}
