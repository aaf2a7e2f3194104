import { DECISION_RETENTION_MS } from '../../store/decision-retention.ts'
import { operation } from '../../store/operation.ts'
import type { AuthDecisionRow } from '../../store/schema.ts'
import {
  deleteOldDecisions,
  deleteSurplusDecisions,
  insertAuthDecisions,
} from '../../store/writes/auth-decision-writes.ts'
import { recordDecided } from '../audit/recorded-decisions.ts'

const MAX_DECISIONS = 100_000
const PRUNE_BATCH = 1_000

export interface RecordDecisions {
  readonly decisions: readonly AuthDecisionRow[]
  /** Those that the audit record has too; by default all. */
  readonly recorded?: readonly AuthDecisionRow[]
  /** How many refusals the audit record does not have, since its last note of it. */
  readonly dropped?: number
}

/** Stores decisions on refused logins and enrollments, for the audit record too. */
export const recordDecisions = operation({
  name: 'authDecision.record',
  access: 'none',
  needsWriteLock: false,
  async run(tx, { decisions, recorded = decisions, dropped = 0 }: RecordDecisions): Promise<void> {
    await insertAuthDecisions(tx, decisions)
    await recordDecided(tx, recorded, dropped)
  },
})

/** Deletes expired decisions, and the oldest beyond `maxKept`. Returns whether there may be more. */
export const pruneDecisions = operation({
  name: 'authDecision.prune',
  access: 'none',
  needsWriteLock: false,
  async run(tx, { maxKept = MAX_DECISIONS }: { readonly maxKept?: number }): Promise<boolean> {
    const since = tx.now - DECISION_RETENTION_MS
    const old = await deleteOldDecisions(tx, since, PRUNE_BATCH)
    const surplus = await deleteSurplusDecisions(tx, { since, maxKept, limit: PRUNE_BATCH })
    return old === PRUNE_BATCH || surplus === PRUNE_BATCH
  },
})
