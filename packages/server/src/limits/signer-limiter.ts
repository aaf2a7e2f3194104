import { BoundedCache, clientNetwork } from '@countersign/core'
import { type Attempt, type AttemptLimiter, UNCOUNTED } from './attempt-limiter.ts'
import type { AttemptSharing } from './attempt-sharing.ts'

/** Limits the signature checks that garbage in a signer's name can cause. */
export interface SignerLimiter {
  /**
   * Counts a signature check before it is made. Throws `TooManyRequests` when too many have failed, except for a client from
   * whose network that signer's tokens have come before.
   */
  begin(signerId: string, address: string): Attempt
  /** A token of that signer, from that address, was signed by it. */
  noteGood(signerId: string, address: string): void
}

const MAX_KNOWN = 20_000
const KNOWN = 'known to a signer'

/** Only a good token makes a network known, so a flood of bad ones cannot push the known ones out. */
export function createSignerLimiter(limiter: AttemptLimiter, sharing?: AttemptSharing): SignerLimiter {
  const known = new BoundedCache<string, true>(MAX_KNOWN)
  sharing?.onNoted(KNOWN, (name) => known.set(name, true))
  const nameOf = (signerId: string, address: string): string => `${signerId} ${clientNetwork(address)}`
  return {
    begin: (signerId, address) => {
      try {
        return limiter.begin(signerId)
      } catch (refusal) {
        if (known.get(nameOf(signerId, address))) return UNCOUNTED
        throw refusal
      }
    },
    noteGood: (signerId, address) => {
      const name = nameOf(signerId, address)
      if (known.get(name)) return
      sharing?.note(KNOWN, name, 1)
      known.set(name, true)
    },
  }
}
