import type { WriteOperation } from '../../store/write-operation.ts'

const KEPT_MS = 90 * 86_400_000
const PRUNED_AT_ONCE = 1_000

/** Forgets entries older than 90 days; answers whether there may be more of them. */
const pruneChangeLog: WriteOperation<Record<string, never>, boolean> = async ({ db, now }) => {
  const old = await db
    .selectFrom('change_log')
    .select('seq')
    .where('at', '<', now - KEPT_MS)
    .orderBy('seq')
    .limit(PRUNED_AT_ONCE)
    .execute()
  const last = old.at(-1)
  if (last) await db.deleteFrom('change_log').where('seq', '<=', last.seq).execute()
  return old.length === PRUNED_AT_ONCE
}

export const CHANGE_LOG_WRITES = { 'changeLog.prune': pruneChangeLog }
