import { clientNetwork, createLruCache } from '@countersign/core'
import { type Attempt, type AttemptLimiter, UNCOUNTED } from './attempt-limiter.ts'
import type { AttemptSharing } from './attempt-sharing.ts'

const MAX_KNOWN = 20_000
const KNOWN = 'known to a signer'

/**
 * Limits the signature checks that tokens naming a signer can cause. Networks that have sent valid tokens of the signer are exempt. Only a
 * valid token makes a network known, so a flood of invalid ones cannot evict known networks.
 */
export class SignerLimiter {
  readonly #limiter: AttemptLimiter
  readonly #sharing: AttemptSharing | undefined
  readonly #known = createLruCache<string, true>(MAX_KNOWN)

  constructor(limiter: AttemptLimiter, sharing?: AttemptSharing) {
    this.#limiter = limiter
    this.#sharing = sharing
    sharing?.onNoted(KNOWN, (name) => this.#known.set(name, true))
  }

  /** Counts a signature check in advance. Throws `TooManyRequests` after too many failures, except for a known network. */
  begin(signerId: string, address: string): Attempt {
    try {
      return this.#limiter.begin(signerId)
    } catch (refusal) {
      if (this.#known.get(nameOf(signerId, address))) return UNCOUNTED
      throw refusal
    }
  }

  /** Records that this address sent a valid token of the signer. */
  noteValid(signerId: string, address: string): void {
    const name = nameOf(signerId, address)
    if (this.#known.get(name)) return
    this.#sharing?.note(KNOWN, name, 1)
    this.#known.set(name, true)
  }
}

function nameOf(signerId: string, address: string): string {
  return `${signerId} ${clientNetwork(address)}`
}
