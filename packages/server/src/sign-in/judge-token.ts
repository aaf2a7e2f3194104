import {
  readJws,
  refuseWithoutSigner,
  type UntrustedJws,
  untrustedIssuerAndAudience,
  type Verdict,
  type VerifiedTokenCache,
  verifyToken,
} from '@countersign/core'
import type { Clock } from '../clock.ts'
import type { SignerLimiter } from '../limits/signer-limiter.ts'
import type { SignerKeyKeeper } from '../signer-keys/signer-keys.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { DirectorySigner, SignerDirectory } from './signer-directory.ts'

/** What one signer, or the lack of one, says about a token. */
export interface TokenJudgement {
  readonly signer: DirectorySigner | undefined
  readonly verdict: Verdict
}

export interface TokenJudge {
  /**
   * The judgement of each enabled signer that the token names, in order of id; of one without a signer when it names none.
   * For strangers: throws `TooManyRequests` before a signature is checked when too many in that signer's name were wrong.
   */
  judge(token: string, address: string): AsyncGenerator<TokenJudgement>
  /**
   * The verdict of this very signer; its provider is asked for keys only when the token names the signer. Strangers are limited by their
   * `address` as above, somebody who has a session is not.
   */
  judgeFor(signer: DirectorySigner, token: string, address?: string): Promise<Verdict>
}

interface TokenJudgeParts {
  readonly directory: SignerDirectory
  readonly keys: SignerKeyKeeper
  readonly cache: VerifiedTokenCache
  readonly clock: Clock
  readonly limit: SignerLimiter
  readonly metrics: Pick<Metrics, 'tokenVerified' | 'tokenFromCache'>
}

/** Every door brings its tokens here: the signer is chosen by issuer and audience, and the one verify function decides. */
export function createTokenJudge({ directory, keys, cache, clock, limit, metrics }: TokenJudgeParts): TokenJudge {
  return {
    async *judge(token, address) {
      const reading = readJws(token, cache)
      if (!reading.ok) {
        yield { signer: undefined, verdict: await refuseUnreadable(token) }
        return
      }
      const { jws } = reading
      const { untrustedIssuer, untrustedAudiences } = untrustedIssuerAndAudience(jws)
      const { issuerKnown, candidates } = (await directory.enabled()).choose(untrustedIssuer, untrustedAudiences)
      if (candidates.length === 0) yield { signer: undefined, verdict: refuseWithoutSigner(jws, issuerKnown) }
      for (const signer of candidates) yield { signer, verdict: await judgeForStranger(signer, jws, address, true) }
    },
    judgeFor: async (signer, token, address) => {
      const reading = readJws(token, cache)
      if (!reading.ok) return refuseUnreadable(token)
      const { untrustedIssuer, untrustedAudiences } = untrustedIssuerAndAudience(reading.jws)
      const isNamed = untrustedIssuer === signer.issuer && untrustedAudiences.includes(signer.audience)
      return address === undefined
        ? (findKnown(signer, reading.jws) ?? judgeBy(signer, reading.jws, isNamed))
        : judgeForStranger(signer, reading.jws, address, isNamed)
    },
  }

  async function judgeForStranger(
    signer: DirectorySigner,
    jws: UntrustedJws,
    address: string,
    isNamed: boolean,
  ): Promise<Verdict> {
    const known = findKnown(signer, jws)
    if (known) return known
    const attempt = limit.begin(signer.id, address)
    const verdict = await judgeBy(signer, jws, isNamed)
    if (verdict.reason !== 'signature-invalid') attempt.giveBack()
    if (verdict.accepted) limit.noteGood(signer.id, address)
    return verdict
  }

  async function judgeBy(signer: DirectorySigner, jws: UntrustedJws, isNamed: boolean): Promise<Verdict> {
    const { kid } = jws.untrustedHeader
    const asks = isNamed && typeof kid === 'string' && !keys.keysOf(signer.stored).has(kid)
    if (asks) await keys.keyFor(signer.stored, kid)
    const started = performance.now()
    const verdict = await verifyToken(jws, signer.verify, keys.keysOf(signer.stored), clock.now(), { cache })
    metrics.tokenVerified(performance.now() - started)
    return verdict
  }

  function findKnown(signer: DirectorySigner, jws: UntrustedJws): Verdict | undefined {
    const known = cache.findVerdict(jws.digest, signer.verify, keys.keysOf(signer.stored), clock.now())
    if (known) metrics.tokenFromCache()
    return known
  }

  /** A text that is no token is refused before any signer is looked at, so any will do. */
  async function refuseUnreadable(token: string): Promise<Verdict> {
    return verifyToken(token, NOBODY, new Map(), clock.now())
  }
}

const NOBODY: DirectorySigner['verify'] = {
  id: '',
  revision: 0,
  issuer: '',
  audience: '',
  claimsProperty: { text: '/sub', segments: ['sub'] },
  clockSkewSeconds: 0,
  requiredClaims: [],
  claimRules: [],
}
