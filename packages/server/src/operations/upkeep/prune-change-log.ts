import { operation } from '../../store/operation.ts'
import { deleteOldChanges } from '../../store/writes/change-log-writes.ts'

const KEPT_MS = 90 * 86_400_000
const PRUNED_AT_ONCE = 1_000

/** Deletes entries older than 90 days. Returns whether there may be more of them. */
export const pruneChangeLog = operation({
  name: 'changeLog.prune',
  access: 'none',
  takesTurns: false,
  async run(tx): Promise<boolean> {
    return (await deleteOldChanges(tx, tx.now - KEPT_MS, PRUNED_AT_ONCE)) === PRUNED_AT_ONCE
  },
})
