import type { Row } from '../report/result.ts'
import { startBareServer } from './bare-process.ts'
import type { BenchRun } from './bench-run.ts'
import { median } from './percentile.ts'
import type { Product, ProductHome } from './product.ts'

const STARTS = 3
const QUICK_STARTS = 1

/** Starts the product a few times; answers the middle of the times that takes, and the product as it runs after the last. */
export async function measureStart(run: BenchRun, home: ProductHome): Promise<{ product: Product; row: Row }> {
  const starts = run.options.isQuick ? QUICK_STARTS : STARTS
  run.say('starting')
  const [times, bareTimes]: [number[], number[]] = [[], []]
  for (let start = 1; ; start++) {
    const bare = await startBareServer()
    await bare.stop()
    bareTimes.push(bare.startSeconds)
    const product = await home.start()
    times.push(product.startSeconds)
    const seconds = { value: median(times), bare: median(bareTimes) }
    if (start === starts) return { product, row: { name: 'start until ready', measures: { seconds } } }
    await product.stop()
  }
}
