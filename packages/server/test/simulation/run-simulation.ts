import type { Stage } from './client.ts'
import { SharedDatabase } from './shared-database.ts'
import { type Parts, Simulation } from './simulation.ts'

/** The result of a simulation. */
export interface Simulated {
  readonly violations: readonly string[]
  readonly counts: Stage['counts']
  /** What happened, in order. */
  readonly trace: string
}

let shared: Promise<SharedDatabase> | undefined

/** Runs a simulation. `parts` replaces parts of the nodes by broken ones. One at a time: they share a database. */
export async function runSimulation(seed: number, parts: Parts = {}): Promise<Simulated> {
  shared ??= SharedDatabase.open()
  const simulation = new Simulation(seed, await shared, parts)
  await simulation.run()
  const { trace, counts } = simulation.stage
  return { violations: trace.violations, counts, trace: trace.toString() }
}
