import type { AuthDecisionRow } from '../schema.ts'
import type { Transaction } from '../transaction.ts'
import { skipLocked } from './skip-locked.ts'

/** Decisions are not in the change log, because no cache depends on them. */
export async function insertAuthDecisions({ db }: Transaction, decisions: readonly AuthDecisionRow[]): Promise<void> {
  if (decisions.length === 0) return
  await db
    .insertInto('auth_decisions')
    .values(decisions)
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()
}

/** Deletes up to `limit` decisions of `until` or before. Returns how many it deleted. */
export async function deleteOldDecisions(tx: Transaction, until: number, limit: number): Promise<number> {
  const old = await tx.db.selectFrom('auth_decisions').select('id').where('at', '<=', until).limit(limit).execute()
  return deleteDecisions(tx, old)
}

/** Of the decisions after `since`, keeps the newest `maxKept` and deletes up to `limit` older ones. Returns how many it deleted. */
export async function deleteSurplusDecisions(
  tx: Transaction,
  { since, maxKept, limit }: { readonly since: number; readonly maxKept: number; readonly limit: number },
): Promise<number> {
  const surplus = await tx.db
    .selectFrom('auth_decisions')
    .select('id')
    .where('at', '>', since)
    .orderBy('at', 'desc')
    .orderBy('id')
    .offset(maxKept)
    .limit(limit)
    .execute()
  return deleteDecisions(tx, surplus)
}

async function deleteDecisions(
  { db, dialect }: Transaction,
  rows: readonly { readonly id: string }[],
): Promise<number> {
  const ids = rows.map(({ id }) => id)
  if (ids.length === 0) return 0
  const free = skipLocked(dialect, db.selectFrom('auth_decisions').select('id').where('id', 'in', ids))
  await db.deleteFrom('auth_decisions').where('id', 'in', free).execute()
  return ids.length
}
