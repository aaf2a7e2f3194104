import { addedKeys, endsSessions, excludesKeys, removedKeys, type SignerSettings } from '@countersign/core'
import { findStoredKeySet } from '../../store/reads/key-signer-reads.ts'
import type { SignerKeyFacts, StoredSigner } from '../../store/signer-row.ts'
import type { Transaction } from '../../store/transaction.ts'

/** Bounds what each use of a session reads. */
const MAX_REMOVED_KEYS = 64

/** Which sessions a change of a signer ends: all, or those that rest on keys that it takes away. */
export async function endedSessions(
  tx: Transaction,
  current: StoredSigner,
  next: SignerSettings & SignerKeyFacts,
): Promise<Pick<StoredSigner, 'removedKeys'> & { readonly endsSessions: boolean }> {
  const stored = next.pinnedKeyThumbprints.length > 0 ? await storedThumbprints(tx, current) : []
  if (endsSessions(current, next) || excludesKeys(current, next, stored)) {
    return { endsSessions: true, removedKeys: [] }
  }
  const removed = [...new Set([...current.removedKeys, ...removedKeys(current, next)])]
  const comesBack = addedKeys(current, next).some((thumbprint) => removed.includes(thumbprint))
  // The ended sessions of a key that comes back stay ended.
  return comesBack || removed.length > MAX_REMOVED_KEYS
    ? { endsSessions: true, removedKeys: [] }
    : { endsSessions: false, removedKeys: removed }
}

async function storedThumbprints({ db }: Transaction, { id }: StoredSigner): Promise<readonly string[]> {
  const keySet = await findStoredKeySet(db, { table: 'signer_key_sets', ownerId: id })
  return JSON.parse(keySet?.goodThumbprints ?? '[]')
}
