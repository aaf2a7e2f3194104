import { operation } from '../../store/operation.ts'
import { deleteExpiredTokens } from '../../store/writes/account-token-writes.ts'

const BATCH = 500

/** Deletes access tokens that have expired. Returns whether there may be more. */
export const pruneAccountTokens = operation({
  name: 'apiAccount.pruneTokens',
  access: 'none',
  needsWriteLock: false,
  async run(tx): Promise<boolean> {
    return (await deleteExpiredTokens(tx, BATCH)) === BATCH
  },
})
