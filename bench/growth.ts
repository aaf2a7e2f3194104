import type { BenchPart } from './support/bench-run.ts'
import { growIdentities } from './support/grow-identities.ts'
import { growSigners } from './support/grow-signers.ts'

/** What everything costs among more and more identities, sessions and signers. */
export const growth: BenchPart = async (run) => {
  await growIdentities(run)
  await growSigners(run)
}
