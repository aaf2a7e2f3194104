/** Simulates nodes on one database, with faults of network, database and clocks. */
import { parseArgs } from 'node:util'
import { runSeeds } from '../../packages/server/test/simulation/run-seeds.ts'

const REPORT_EVERY = 100

/** `npm run soak -- simulation [--seeds=1000] [--seed=N]`. Throws at the first violation; `--seed` runs only that one. */
export async function run(flags: string[]): Promise<void> {
  const options = { seeds: { type: 'string', default: '1000' }, seed: { type: 'string' } } as const
  const { values } = parseArgs({ args: flags, options, strict: false })
  const from = Number(values.seed ?? 1)
  const count = values.seed === undefined ? Number(values.seeds) : 1
  if (!Number.isInteger(from) || !(Number.isInteger(count) && count > 0))
    throw new TypeError('--seed and --seeds must be whole numbers')
  const startedAt = performance.now()
  const onDone = (seed: number): void => {
    if (seed % REPORT_EVERY === 0) console.log(`seed ${seed}, ${Math.round(performance.now() - startedAt)} ms`)
  }
  const counts = await runSeeds({ from, count, onDone })
  console.log(`${count} seeds, ${JSON.stringify(counts)}: no ended session accepted, no acknowledged write lost`)
}
