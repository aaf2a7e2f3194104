import { continuesKeys, thumbprintsOf } from '@countersign/core'
import { readStoredKeys } from '../../keyset/stored-key-set.ts'
import { isSameEndpoint, type NewKeySet } from '../../store/key-signer.ts'
import { operation } from '../../store/operation.ts'
import { findKeySetOwner, findStoredKeySet, type KeySetState } from '../../store/reads/key-signer-reads.ts'
import { notePendingKeys, upsertKeySet } from '../../store/writes/key-set-writes.ts'

export interface FetchedKeySet extends NewKeySet {
  readonly signerId: string
}

/** `ignored`: newer keys are stored, or the signer fetches from elsewhere. `pending`: the keys wait for a confirmation. */
export type KeySetStoring = 'stored' | 'ignored' | 'pending'

/**
 * Stores fetched keys unless newer ones are stored or the signer's endpoint or its CA has changed. Keys that share none with the last good ones
 * wait, if the signer requires continuity. The change is published only when the keys differ from the stored ones.
 */
export const storeKeySet = operation({
  name: 'signerKeys.store',
  access: 'none',
  isRecorded: false,
  needsWriteLock: false,
  async run(tx, { signerId, ...keySet }: FetchedKeySet): Promise<KeySetStoring> {
    const owner = await findKeySetOwner(tx.db, signerId)
    if (!owner?.endpoint || !isSameEndpoint(owner.endpoint, keySet)) return 'ignored'
    const stored = await findStoredKeySet(tx.db, owner)
    const before = stored && isSameEndpoint(stored, keySet) ? stored : undefined
    const changed = () => tx.changed({ entity: owner.entity, id: signerId, action: 'updated' })
    if (owner.requiresContinuity && before && !continuesKeys(keySet.thumbprints, goodThumbprints(before))) {
      await notePendingKeys(tx, owner, keySet.jwks)
      if (before.pendingJwks !== keySet.jwks) changed()
      return 'pending'
    }
    if (!(await upsertKeySet(tx, owner, keySet))) return 'ignored'
    if (before?.jwks !== keySet.jwks || (before.pendingJwks ?? null) !== null) changed()
    return 'stored'
  },
})

function goodThumbprints({ goodThumbprints, jwks }: KeySetState): readonly string[] {
  return goodThumbprints === null ? thumbprintsOf(readStoredKeys(jwks)) : JSON.parse(goodThumbprints)
}
