import { BoundedCache, clientNetwork } from '@countersign/core'
import { type Attempt, type AttemptLimiter, UNCOUNTED } from './attempt-limiter.ts'
import type { AttemptSharing } from './attempt-sharing.ts'

const MAX_KNOWN = 20_000
const KNOWN = 'known to a signer'

/**
 * Limits the signature checks that tokens in a signer's name can cause. Networks from which good tokens of the signer have come are exempt; only a
 * good token makes a network known, so a flood of bad ones cannot push the known ones out.
 */
export class SignerLimiter {
  readonly #limiter: AttemptLimiter
  readonly #sharing: AttemptSharing | undefined
  readonly #known = new BoundedCache<string, true>(MAX_KNOWN)

  constructor(limiter: AttemptLimiter, sharing?: AttemptSharing) {
    this.#limiter = limiter
    this.#sharing = sharing
    sharing?.onNoted(KNOWN, (name) => this.#known.set(name, true))
  }

  /** Counts a signature check before it is made. Throws `TooManyRequests` when too many have failed, except for a known network. */
  begin(signerId: string, address: string): Attempt {
    try {
      return this.#limiter.begin(signerId)
    } catch (refusal) {
      if (this.#known.get(nameOf(signerId, address))) return UNCOUNTED
      throw refusal
    }
  }

  /** A token of that signer, from that address, had a good signature. */
  noteGood(signerId: string, address: string): void {
    const name = nameOf(signerId, address)
    if (this.#known.get(name)) return
    this.#sharing?.note(KNOWN, name, 1)
    this.#known.set(name, true)
  }
}

function nameOf(signerId: string, address: string): string {
  return `${signerId} ${clientNetwork(address)}`
}
