import { DECISIONS_KEPT_MS } from '../../store/decisions-kept.ts'
import { operation } from '../../store/operation.ts'
import type { AuthDecisionRow } from '../../store/schema.ts'
import {
  deleteOldDecisions,
  deleteSurplusDecisions,
  insertAuthDecisions,
} from '../../store/writes/auth-decision-writes.ts'

const MAX_DECISIONS = 100_000
const PRUNED_AT_ONCE = 1_000

/** Keeps the decisions on refused logins and enrollments. */
export const recordDecisions = operation({
  name: 'authDecision.record',
  access: 'none',
  takesTurns: false,
  async run(tx, { decisions }: { readonly decisions: readonly AuthDecisionRow[] }): Promise<void> {
    await insertAuthDecisions(tx, decisions)
  },
})

/** Deletes decisions that are too old, and the oldest beyond the most that are kept. Returns whether there may be more of them. */
export const pruneDecisions = operation({
  name: 'authDecision.prune',
  access: 'none',
  takesTurns: false,
  async run(tx, { maxKept = MAX_DECISIONS }: { readonly maxKept?: number }): Promise<boolean> {
    const since = tx.now - DECISIONS_KEPT_MS
    const old = await deleteOldDecisions(tx, since, PRUNED_AT_ONCE)
    const surplus = await deleteSurplusDecisions(tx, { since, maxKept, limit: PRUNED_AT_ONCE })
    return old === PRUNED_AT_ONCE || surplus === PRUNED_AT_ONCE
  },
})
