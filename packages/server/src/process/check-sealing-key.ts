import type { Sealing } from '../platform/keys/sealing.ts'
import { StartupError } from '../platform/startup-error.ts'
import { findValueOfOtherKey } from '../store/reads/sealed-value-reads.ts'
import type { Store } from '../store/store.ts'

const SAME_KEY = 'give every node the same setting sealingKey (COUNTERSIGN_SEALING_KEY)'

/** Throws StartupError when nodes with a configured sealing key share a CA, whose sealed key is given, and this node has none or another one. */
export function checkSharedSealingKey(sealedKey: string, configured: Sealing | undefined): void {
  if (!configured) {
    throw new StartupError('the nodes on this database were given a sealingKey, and this node has none', SAME_KEY)
  }
  if (sealedKey.startsWith(configured.prefix)) return
  throw new StartupError("the CA's key in the database is sealed with another sealingKey than this node's", SAME_KEY)
}

/**
 * Throws StartupError when this node's sealing key does not open what the store holds: its requests for one-time codes, enrollments and
 * provider registrations would fail, and other nodes could not read what it seals.
 */
export async function checkSealedValues(store: Store, { keyId, prefix }: Sealing): Promise<void> {
  const value = await findValueOfOtherKey(store.db, prefix)
  if (value === undefined) return
  throw new StartupError(
    `the database holds values that were sealed with the key ${keyIdOf(value)}, and this node's sealingKey is the key ${keyId}`,
    `${SAME_KEY}; without that setting, restore keys/sealing.key from a backup`,
  )
}

/** Only the short id, which discloses nothing. */
function keyIdOf(sealed: string): string {
  return (sealed.split('.')[1] ?? '').slice(0, 8)
}
