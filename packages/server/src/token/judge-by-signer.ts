import {
  type CheckSignature,
  type UntrustedJws,
  type Verdict,
  type VerifiedTokenCache,
  type VerifySigner,
  verifyToken,
} from '@countersign/core'
import type { Metrics } from '../events/metrics/metrics.ts'
import type { SignerKeyKeeper } from '../keyset/signer-keys.ts'
import { UNCOUNTED } from '../limits/attempt-limiter.ts'
import type { SignerLimiter } from '../limits/signer-limiter.ts'
import type { Clock } from '../platform/clock.ts'
import type { KeySigner } from '../store/key-signer.ts'

/** Who judges a token: whose keys they are, and by which rules. A signer of the directory is one. */
export interface JudgingSigner {
  readonly stored: KeySigner
  readonly verify: VerifySigner
}

export interface JudgeBySigner {
  /** For strangers: throws `TooManyRequests` before a signature is checked when too many in that signer's name were wrong. */
  forStranger(signer: JudgingSigner, jws: UntrustedJws, address: string, isNamed: boolean): Promise<Verdict>
  /** For somebody who has a session. The provider is asked for keys only when the token names the signer. */
  forKnown(signer: JudgingSigner, jws: UntrustedJws, isNamed: boolean): Promise<Verdict>
}

export interface JudgeBySignerParts {
  readonly keys: SignerKeyKeeper
  readonly cache: VerifiedTokenCache
  readonly clock: Clock
  readonly limit: SignerLimiter
  readonly metrics: Pick<Metrics, 'tokenVerified' | 'tokenFromCache'>
  readonly checkSignature: CheckSignature
}

/** The verdict of one signer about one token, from memory where that is still true. Every door comes by here, and is counted here. */
export function createJudgeBySigner(parts: JudgeBySignerParts): JudgeBySigner {
  const { keys, cache, clock, limit, metrics, checkSignature } = parts

  /** Strangers have an address. */
  const judge = async (
    { stored, verify }: JudgingSigner,
    jws: UntrustedJws,
    isNamed: boolean,
    address?: string,
  ): Promise<Verdict> => {
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

  return {
    forStranger: (signer, jws, address, isNamed) => judge(signer, jws, isNamed, address),
    forKnown: (signer, jws, isNamed) => judge(signer, jws, isNamed),
  }
}
