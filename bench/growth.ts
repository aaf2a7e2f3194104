import type { BenchPart } from './support/bench-run.ts'
import { measureIdentityGrowth } from './support/measure-identity-growth.ts'
import { measureSignerGrowth } from './support/measure-signer-growth.ts'

/** The cost of calls, start and memory with growing numbers of identities, sessions and signers. */
export const growth: BenchPart = async (run) => {
  for (const database of run.options.databases) {
    await measureIdentityGrowth(run, database)
    await measureSignerGrowth(run, database)
  }
}
