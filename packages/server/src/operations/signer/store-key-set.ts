import { isSameEndpoint, type StoredKeySet } from '../../store/key-signer.ts'
import { operation } from '../../store/operation.ts'
import { findKeySetOwner, findStoredKeySet } from '../../store/reads/key-signer-reads.ts'
import { upsertKeySet } from '../../store/writes/key-set-writes.ts'

export interface FetchedKeySet extends StoredKeySet {
  readonly signerId: string
}

/**
 * Stores fetched keys unless newer ones are stored or the signer's endpoint or its CA has changed. Returns whether they were stored. The change is
 * published only when the keys differ from the stored ones.
 */
export const storeKeySet = operation({
  name: 'signerKeys.store',
  access: 'none',
  isRecorded: false,
  needsWriteLock: false,
  async run(tx, { signerId, ...keySet }: FetchedKeySet): Promise<boolean> {
    const owner = await findKeySetOwner(tx.db, signerId)
    if (!owner?.endpoint || !isSameEndpoint(owner.endpoint, keySet)) return false
    const before = await findStoredKeySet(tx.db, owner)
    if (!(await upsertKeySet(tx, owner, keySet))) return false
    const isChanged = !before || !isSameEndpoint(before, keySet) || before.jwks !== keySet.jwks
    if (isChanged) tx.changed({ entity: owner.entity, id: signerId, action: 'updated' })
    return true
  },
})
