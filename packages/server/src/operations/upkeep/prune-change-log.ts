import { operation } from '../../store/operation.ts'
import { deleteOldChanges } from '../../store/writes/change-log-writes.ts'

const KEPT_MS = 90 * 86_400_000
const PRUNE_BATCH = 1_000

/** Deletes entries older than 90 days. Returns whether there may be more. */
export const pruneChangeLog = operation({
  name: 'changeLog.prune',
  access: 'none',
  needsWriteLock: false,
  async run(tx): Promise<boolean> {
    return (await deleteOldChanges(tx, tx.now - KEPT_MS, PRUNE_BATCH)) === PRUNE_BATCH
  },
})
