import {
  type CheckSignature,
  type UntrustedJws,
  type Verdict,
  type VerifiedTokenCache,
  type VerifySigner,
  verifyToken,
} from '@countersign/core'
import type { Metrics } from '../events/metrics/metrics.ts'
import type { SignerKeys } from '../keyset/signer-keys.ts'
import { UNCOUNTED } from '../limits/attempt-limiter.ts'
import type { SignerLimiter } from '../limits/signer-limiter.ts'
import type { Clock } from '../platform/clock.ts'
import type { KeySigner } from '../store/key-signer.ts'

/** Whose keys and rules a token is verified with. A signer of the directory is one, and so is a provider of the hosted API. */
export interface VerifyingSigner {
  readonly stored: KeySigner
  readonly verify: VerifySigner
}

interface SignerVerifierParts {
  readonly keys: SignerKeys
  readonly cache: VerifiedTokenCache
  readonly clock: Clock
  readonly limit: SignerLimiter
  readonly metrics: Pick<Metrics, 'tokenVerified' | 'tokenFromCache'>
  readonly checkSignature: CheckSignature
}

/** The verdict of one signer about one token, from the cache while that is still true. Every token of every API passes here, and is counted here. */
export class SignerVerifier {
  readonly #parts: SignerVerifierParts

  constructor(parts: SignerVerifierParts) {
    this.#parts = parts
  }

  /**
   * For a caller without a session: throws `TooManyRequests` before a signature is checked when too many in that signer's name were wrong. The
   * provider is asked for keys only when the token names the signer.
   */
  verifyForStranger(signer: VerifyingSigner, jws: UntrustedJws, address: string, isNamed: boolean): Promise<Verdict> {
    return this.#verify(signer, jws, isNamed, address)
  }

  /** For a caller with a session, which is not limited. */
  verifyForSession(signer: VerifyingSigner, jws: UntrustedJws, isNamed: boolean): Promise<Verdict> {
    return this.#verify(signer, jws, isNamed)
  }

  async #verify(
    { stored, verify }: VerifyingSigner,
    jws: UntrustedJws,
    isNamed: boolean,
    address?: string,
  ): Promise<Verdict> {
    const { keys, cache, clock, limit, metrics, checkSignature } = this.#parts
    const known = cache.findVerdict(jws.digest, verify, keys.keysOf(stored), clock.now())
    if (known) {
      metrics.tokenFromCache()
      return known
    }
    const attempt = address === undefined ? UNCOUNTED : limit.begin(stored.id, address)
    const { kid } = jws.untrustedHeader
    if (isNamed && typeof kid === 'string' && !keys.keysOf(stored).has(kid)) await keys.keyFor(stored, kid)
    const started = performance.now()
    const verdict = await verifyToken(jws, verify, keys.keysOf(stored), clock.now(), { cache, checkSignature })
    metrics.tokenVerified(performance.now() - started)
    if (verdict.reason !== 'signature-invalid') attempt.giveBack()
    if (verdict.accepted && address !== undefined) limit.noteGood(stored.id, address)
    return verdict
  }
}
