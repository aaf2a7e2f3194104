import type { AuditHead } from '@countersign/core'
import { operation } from '../../store/operation.ts'
import { deleteAnchoredEntries, setSignedHeads } from '../../store/writes/audit-writes.ts'

/** Stores signed heads. The events about them, which are exported to every sink, are in the meta. */
export const storeHeads = operation({
  name: 'audit.storeHeads',
  access: 'none',
  needsWriteLock: false,
  isRecorded: false,
  run: (tx, { heads }: { readonly heads: readonly AuditHead[] }): Promise<void> => setSignedHeads(tx, heads),
})

const PRUNE_BATCH = 1_000

/** Deletes the entries of a node up to an anchor, which vouches for them from now on. Returns whether there may be more. */
export const pruneAudit = operation({
  name: 'audit.prune',
  access: 'none',
  needsWriteLock: false,
  isRecorded: false,
  async run(tx, { anchor }: { readonly anchor: AuditHead }): Promise<boolean> {
    return (await deleteAnchoredEntries(tx, anchor, PRUNE_BATCH)) === PRUNE_BATCH
  },
})
