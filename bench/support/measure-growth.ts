import type { BareServer } from './bare-process.ts'
import type { BenchRun } from './bench-run.ts'
import type { Range } from './copy-rows.ts'
import { buildGrowthSection, type SizeFigures } from './growth-table.ts'
import { measureOperations, type Operation } from './measure.ts'
import { measureStart } from './measure-start.ts'
import { measureMemory } from './memory-section.ts'
import type { Product, ProductHome } from './product.ts'

/** Something that there can be more and more of. */
export interface Growth {
  readonly title: string
  /** What there is more and more of. */
  readonly what: string
  /** Ascending. */
  readonly sizes: readonly number[]
  /** How many there are before. */
  readonly from: number
  /** Puts them in while the product is not running. */
  fill(range: Range): void
  operations(product: Product, size: number): Operation[]
}

/** What is told of growth, with a table and a plot each. */
const KINDS = [
  { key: 'cpuMs', title: 'CPU ms', digits: 3 },
  { key: 'p99Ms', title: 'p99 ms', digits: 1 },
  { key: 'seconds', title: 's', digits: 2 },
  { key: 'mib', title: 'MiB', digits: 0 },
] as const

/** Fills, starts and measures at each size, and reports how each figure grows. */
export async function measureGrowth(run: BenchRun, home: ProductHome, bare: BareServer, growth: Growth): Promise<void> {
  const figures: SizeFigures[] = []
  let { from } = growth
  for (const size of growth.sizes) {
    run.say(`filling up to ${size} ${growth.what}`)
    growth.fill({ from, to: size })
    from = size
    const { product, row: start } = await measureStart(run, home)
    const servers = { product, bare }
    const idle = measureMemory('after the start', servers)
    const rows = await measureOperations(servers, growth.operations(product, size), run)
    figures.push({ size, rows: [...rows, start, idle, measureMemory('after the calls', servers)] })
    await product.stop()
  }
  for (const kind of KINDS) run.report(buildGrowthSection(growth.title, growth.what, kind, figures))
}
