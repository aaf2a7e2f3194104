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

/**
 * Puts together the measurements of all processes of a node, those that have ended included: what was counted and told stays counted, also of
 * one that ended without a word.
 */
export interface GatheredMetrics {
  /** What a process has measured until now. */
  note(worker: object, taken: MetricsSnapshot): void
  /** It has ended. */
  retire(worker: object): void
  gather(): Promise<Registry>
}

/** The types of what only grows; the library says them in words or in numbers. */
const GROWING: ReadonlySet<string | number> = new Set(['counter', 'histogram', 0, 2])

export function createGatheredMetrics(): GatheredMetrics {
  const running = new Map<object, MetricsSnapshot>()
  const ended = new WeakSet()
  let retired: Promise<MetricsSnapshot> = Promise.resolve([])
  const aggregate = (snapshots: readonly MetricsSnapshot[]): Registry => AggregatorRegistry.aggregate([...snapshots])
  return {
    note: (worker, taken) => {
      if (!ended.has(worker)) running.set(worker, taken)
    },
    retire: (worker) => {
      const last = running.get(worker) ?? []
      running.delete(worker)
      ended.add(worker)
      const grown = last.filter(({ type, aggregator }) => GROWING.has(type) && aggregator === 'sum')
      retired = retired.then((before) => takeMetrics(aggregate([before, grown])))
    },
    gather: async () => {
      for (;;) {
        const adding = retired
        const before = await adding
        // The first of its name says how a measurement is put together: one that runs.
        if (adding === retired) return aggregate([...running.values(), before])
      }
    },
  }
}
