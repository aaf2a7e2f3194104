import type { Metric, Registry } from 'prom-client'

interface TimeHistogramOptions {
  readonly name: string
  readonly help: string
  /** Upper bounds in seconds, rising. */
  readonly buckets: readonly number[]
  readonly registers: readonly Registry[]
}

interface Sample {
  readonly metricName: string
  readonly labels: Readonly<Record<string, number | string>>
  readonly value: number
}

/**
 * A histogram of times without labels, fast enough for every login. The library's own looks up the bucket of each value by its label, which takes
 * a microsecond or more.
 */
export class TimeHistogram {
  readonly name: string
  readonly help: string
  readonly type = 'histogram'
  readonly aggregator = 'sum'
  readonly #bounds: readonly number[]
  readonly #counts: number[]
  #sum = 0

  constructor({ name, help, buckets, registers }: TimeHistogramOptions) {
    this.name = name
    this.help = help
    this.#bounds = buckets
    this.#counts = Array.from({ length: buckets.length + 1 }, () => 0)
    for (const registry of registers) registry.registerMetric(this as unknown as Metric)
  }

  observe(seconds: number): void {
    let bucket = 0
    while (bucket < this.#bounds.length && seconds > (this.#bounds[bucket] ?? 0)) bucket += 1
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1
    this.#sum += seconds
  }

  /** Read by the registry. */
  async get() {
    const { name, help, type, aggregator } = this
    let count = 0
    const values: Sample[] = this.#counts.map((added, bucket) => {
      count += added
      return { metricName: `${name}_bucket`, labels: { le: this.#bounds[bucket] ?? '+Inf' }, value: count }
    })
    values.push({ metricName: `${name}_sum`, labels: {}, value: this.#sum })
    values.push({ metricName: `${name}_count`, labels: {}, value: count })
    return { name, help, type, aggregator, values }
  }

  reset(): void {
    this.#counts.fill(0)
    this.#sum = 0
  }
}
