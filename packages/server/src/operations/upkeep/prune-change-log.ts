import { operation } from '../../store/operation.ts'
import { deleteOldChanges, deleteOldSessionChanges } from '../../store/writes/change-log-writes.ts'

const KEPT_MS = 90 * 86_400_000
/** Any identity can open and end sessions, and revoke their tokens, without pause. Caches follow within a second, and begin anew after a longer time without contact. */
const SESSIONS_KEPT_MS = 10 * 60_000
const PRUNE_BATCH = 1_000

/** Deletes entries older than 90 days, and those of sessions and revocations after 10 minutes. Returns whether there may be more. */
export const pruneChangeLog = operation({
  name: 'changeLog.prune',
  access: 'none',
  needsWriteLock: false,
  async run(tx): Promise<boolean> {
    const ofSessions = await deleteOldSessionChanges(tx, tx.now - SESSIONS_KEPT_MS, PRUNE_BATCH)
    const others = await deleteOldChanges(tx, tx.now - KEPT_MS, PRUNE_BATCH)
    return Math.max(ofSessions, others) === PRUNE_BATCH
  },
})
