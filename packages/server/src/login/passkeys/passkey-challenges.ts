import { hash } from 'node:crypto'
import { AppError, type RelyingParty } from '@countersign/core'
import type { Clock } from '../../platform/clock.ts'
import type { Sealing } from '../../platform/keys/sealing.ts'
import type { SpentChallenge } from '../../store/writes/passkey-writes.ts'

/** What a challenge is for. Those of a session are of no use in another one. */
export type ChallengePurpose = 'login' | { readonly register: string } | { readonly complete: string }

/** A challenge that this installation issued and that has not expired. Whether it is spent is decided in the transaction that uses it. */
export interface IssuedChallenge extends RelyingParty {
  readonly spent: SpentChallenge
}

interface SealedChallenge extends RelyingParty {
  readonly expiresAt: number
}

export const CHALLENGE_MS = 5 * 60_000

interface PasskeyChallengesParts {
  readonly clock: Clock
  readonly sealing: Sealing
}

/**
 * Challenges of passkeys, each sealed with its origin and expiry: those that are never used take no memory, and every process and node can accept what
 * another has issued.
 */
export class PasskeyChallenges {
  readonly #parts: PasskeyChallengesParts

  constructor(parts: PasskeyChallengesParts) {
    this.#parts = parts
  }

  issue(purpose: ChallengePurpose, { origin, rpId }: RelyingParty): Uint8Array<ArrayBuffer> {
    const { clock, sealing } = this.#parts
    const content: SealedChallenge = { origin, rpId, expiresAt: clock.now() + CHALLENGE_MS }
    return new TextEncoder().encode(sealing.seal(JSON.stringify(content), useOf(purpose)))
  }

  /** Undefined for a challenge of another installation or purpose, and for an expired one. */
  open(challenge: string, purpose: ChallengePurpose): IssuedChallenge | undefined {
    const opened = this.#open(Buffer.from(challenge, 'base64url').toString(), useOf(purpose))
    if (!opened || opened.expiresAt <= this.#parts.clock.now()) return undefined
    const { origin, rpId, expiresAt } = opened
    return { origin, rpId, spent: { digest: hash('sha256', challenge, 'base64url'), expiresAt } }
  }

  #open(sealed: string, use: string): SealedChallenge | undefined {
    try {
      return JSON.parse(this.#parts.sealing.open(sealed, use)) as SealedChallenge
    } catch (error) {
      if (error instanceof AppError) return undefined
      throw error
    }
  }
}

function useOf(purpose: ChallengePurpose): string {
  if (purpose === 'login') return 'passkey login'
  return 'register' in purpose ? `passkey of ${purpose.register}` : `passkey as second factor of ${purpose.complete}`
}
