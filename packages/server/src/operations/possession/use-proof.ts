import { operation } from '../../store/operation.ts'
import { deleteOldUses, type UsedCredential, useCredential } from '../../store/writes/used-credential-writes.ts'

/** Uses a proof that comes with a call. Returns false when it was used before, on any node. */
export const useProof = operation({
  name: 'possession.useProof',
  access: 'none',
  needsWriteLock: false,
  run: (tx, proof: UsedCredential): Promise<boolean> => useCredential(tx, proof, 'proof'),
})

const BATCH = 500

/** Deletes the notes of tokens and proofs that have expired. Returns whether there may be more. */
export const pruneUsedCredentials = operation({
  name: 'possession.prune',
  access: 'none',
  needsWriteLock: false,
  run: async (tx): Promise<boolean> => (await deleteOldUses(tx, BATCH)) === BATCH,
})
