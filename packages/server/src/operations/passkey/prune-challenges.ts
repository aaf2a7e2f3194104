import { operation } from '../../store/operation.ts'
import { deleteExpiredChallenges } from '../../store/writes/passkey-writes.ts'

const BATCH = 500

/** Deletes spent challenges that have expired. Returns whether there may be more. */
export const pruneChallenges = operation({
  name: 'passkey.pruneChallenges',
  access: 'none',
  needsWriteLock: false,
  run: async (tx): Promise<boolean> => (await deleteExpiredChallenges(tx, BATCH)) === BATCH,
})
