import { MAX_REPROVISION_MINUTES } from '@countersign/contract'
import { operation } from '../../store/operation.ts'
import { deleteOldDeletions } from '../../store/writes/identity-writes.ts'

const MS_PER_MINUTE = 60_000
const BATCH = 500

/** Deletes the notes of deleted identities that no signer can need any more. Returns whether there may be more. */
export const pruneDeletedIdentities = operation({
  name: 'identity.pruneDeleted',
  access: 'none',
  needsWriteLock: false,
  async run(tx): Promise<boolean> {
    return (await deleteOldDeletions(tx, tx.now - MAX_REPROVISION_MINUTES * MS_PER_MINUTE, BATCH)) === BATCH
  },
})
