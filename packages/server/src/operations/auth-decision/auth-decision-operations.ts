import type { AuthDecisionRow } from '../../store/schema.ts'
import type { WriteContext, WriteOperation } from '../../store/write-operation.ts'

/** How long a decision can be looked up. */
export const DECISIONS_KEPT_MS = 86_400_000
const MAX_DECISIONS = 100_000
const PRUNED_AT_ONCE = 1_000

/** Keeps what became of refused sign-ins. No cache depends on it, so nobody is told and the change log does not grow. */
const recordAuthDecisions: WriteOperation<{ decisions: readonly AuthDecisionRow[] }, void> = async (
  { db },
  { decisions },
) => {
  if (decisions.length === 0) return
  await db
    .insertInto('auth_decisions')
    .values(decisions)
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()
}

/** Forgets decisions older than a day, and the oldest beyond the most that are kept; answers whether there may be more of them. */
const pruneAuthDecisions: WriteOperation<{ maxKept?: number }, boolean> = async (
  context,
  { maxKept = MAX_DECISIONS },
) => {
  const { db, now } = context
  const old = await db
    .selectFrom('auth_decisions')
    .select('id')
    .where('at', '<=', now - DECISIONS_KEPT_MS)
    .limit(PRUNED_AT_ONCE)
    .execute()
  const surplus = await db
    .selectFrom('auth_decisions')
    .select('id')
    .where('at', '>', now - DECISIONS_KEPT_MS)
    .orderBy('at', 'desc')
    .orderBy('id')
    .offset(maxKept)
    .limit(PRUNED_AT_ONCE)
    .execute()
  await deleteDecisions(context, old)
  await deleteDecisions(context, surplus)
  return old.length === PRUNED_AT_ONCE || surplus.length === PRUNED_AT_ONCE
}

async function deleteDecisions({ db }: Pick<WriteContext, 'db'>, rows: readonly { id: string }[]): Promise<void> {
  if (rows.length === 0) return
  const ids = rows.map(({ id }) => id)
  await db.deleteFrom('auth_decisions').where('id', 'in', ids).execute()
}

export const AUTH_DECISION_WRITES = {
  'authDecision.record': recordAuthDecisions,
  'authDecision.prune': pruneAuthDecisions,
}
