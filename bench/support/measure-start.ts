import type { Row } from '../report/result.ts'
import { startBareServer } from './bare-process.ts'
import type { BenchRun } from './bench-run.ts'
import { median } from './percentile.ts'
import type { Installation, Product } from './product.ts'

const STARTS = 3
const QUICK_STARTS = 1

/** Starts the product several times. Returns the median start time, and the product, which still runs after the last start. */
export async function measureStart(run: BenchRun, installation: Installation): Promise<{ product: Product; row: Row }> {
  const starts = run.options.isQuick ? QUICK_STARTS : STARTS
  run.progress('starting')
  const [times, bareTimes]: [number[], number[]] = [[], []]
  for (let start = 1; ; start++) {
    const bare = await startBareServer()
    await bare.stop()
    bareTimes.push(bare.startSeconds)
    const product = await installation.start()
    times.push(product.startSeconds)
    const seconds = { value: median(times), bare: median(bareTimes) }
    if (start === starts) return { product, row: { name: 'start until ready', measures: { seconds } } }
    await product.stop()
  }
}
