import { runSimulation, type Simulated } from './run-simulation.ts'
import type { Parts } from './simulation.ts'

interface SeedRange {
  readonly from: number
  readonly count: number
  readonly parts?: Parts
  /** Called after each simulation. */
  onDone?(seed: number): void
}

/** Runs simulations one after the other. Throws at the first violation, with everything that happened and how to repeat it. */
export async function runSeeds({ from, count, parts, onDone }: SeedRange): Promise<Simulated['counts']> {
  const sum = { acknowledged: 0, refused: 0, unknown: 0, accepted: 0, declined: 0 }
  for (let seed = from; seed < from + count; seed++) {
    const { violations, counts, trace } = await runSimulation(seed, parts)
    if (violations.length > 0) {
      const repeat = `npm run soak -- simulation --seed=${seed}`
      throw new Error(`${trace}\n\nseed ${seed} violates:\n  ${violations.join('\n  ')}\nrepeat it with: ${repeat}`)
    }
    for (const name of Object.keys(sum) as (keyof typeof sum)[]) sum[name] += counts[name]
    onDone?.(seed)
  }
  return sum
}
