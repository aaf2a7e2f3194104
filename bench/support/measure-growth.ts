import type { BareServer } from './bare-process.ts'
import type { BenchRun } from './bench-run.ts'
import type { Range } from './copy-rows.ts'
import { buildGrowthSection, type SizeFigures } from './growth-table.ts'
import { measureMemory } from './measure-memory.ts'
import { measureOperations, type Operation } from './measure-operations.ts'
import { measureStart } from './measure-start.ts'
import type { Installation, Product } from './product.ts'

export interface Growth {
  readonly title: string
  /** The counted things, in the plural. */
  readonly unit: string
  /** Ascending. */
  readonly sizes: readonly number[]
  /** The number at the start. */
  readonly from: number
  /** Inserts them. Called while the product is not running. */
  fill(range: Range): Promise<void>
  operations(product: Product, size: number): Operation[]
}

/** The reported measures, one table each. */
const KINDS = [
  { key: 'cpuMs', title: 'CPU ms', digits: 3 },
  { key: 'p99Ms', title: 'p99 ms', digits: 1 },
  { key: 'seconds', title: 's', digits: 2 },
  { key: 'mib', title: 'MiB', digits: 0 },
] as const

/** Fills the database, starts the product and measures at each size, then reports the growth of each figure. */
export async function measureGrowth(
  run: BenchRun,
  installation: Installation,
  bare: BareServer,
  growth: Growth,
): Promise<void> {
  const figures: SizeFigures[] = []
  let { from } = growth
  for (const size of growth.sizes) {
    run.progress(`filling up to ${size} ${growth.unit}`)
    await growth.fill({ from, to: size })
    await installation.database.analyze()
    from = size
    const { product, row: start } = await measureStart(run, installation)
    const servers = { product, bare }
    const idle = measureMemory('after the start', servers)
    const rows = await measureOperations(servers, growth.operations(product, size), run)
    figures.push({ size, rows: [...rows, start, idle, measureMemory('after the calls', servers)] })
    await product.stop()
  }
  for (const kind of KINDS)
    run.report(buildGrowthSection(`${growth.title} (${installation.database.name})`, growth.unit, kind, figures))
}
