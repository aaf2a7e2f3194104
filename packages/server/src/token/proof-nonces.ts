import { AppError, createLruCache } from '@countersign/core'
import type { Clock } from '../platform/clock.ts'
import type { Sealing } from '../platform/keys/sealing.ts'

/** How long a nonce is accepted. */
export const NONCE_MS = 5 * 60_000
const RENEWED_AFTER_MS = 60_000
/** How far the clock of the node that issued a nonce may be ahead. */
const AHEAD_MS = 60_000
const USE = 'dpop nonce'
const MAX_REMEMBERED = 64

/**
 * The nonces that DPoP proofs must have (RFC 9449 section 9): the sealed time of issue. Every worker and node accepts those of all others, also after a restart, and
 * none are stored.
 */
export class ProofNonces {
  readonly #parts: { readonly clock: Clock; readonly sealing: Sealing }
  readonly #issueTimes = createLruCache<string, number>(MAX_REMEMBERED)
  #current: { readonly nonce: string; readonly issuedAt: number } | undefined

  constructor(parts: { readonly clock: Clock; readonly sealing: Sealing }) {
    this.#parts = parts
  }

  /** The nonce for the next proofs. A new one every minute. */
  current(): string {
    const { clock, sealing } = this.#parts
    const now = clock.now()
    const known = this.#current
    if (known && now >= known.issuedAt && now < known.issuedAt + RENEWED_AFTER_MS) return known.nonce
    const nonce = sealing.seal(String(now), USE)
    this.#current = { nonce, issuedAt: now }
    return nonce
  }

  /** Whether this installation issued a nonce in the last minutes. */
  isGood(nonce: string): boolean {
    const issuedAt = this.#issueTimes.get(nonce) ?? this.#open(nonce)
    if (issuedAt === undefined) return false
    const now = this.#parts.clock.now()
    return now < issuedAt + NONCE_MS && issuedAt <= now + AHEAD_MS
  }

  #open(nonce: string): number | undefined {
    try {
      const issuedAt = Number(this.#parts.sealing.open(nonce, USE))
      this.#issueTimes.set(nonce, issuedAt)
      return issuedAt
    } catch (error) {
      if (error instanceof AppError) return undefined
      throw error
    }
  }
}
