import {
  readJws,
  refuseWithoutSigner,
  untrustedIssuerAndAudience,
  type Verdict,
  type VerifiedTokenCache,
  verifyToken,
} from '@countersign/core'
import type { Clock } from '../platform/clock.ts'
import type { JudgeBySigner } from './judge-by-signer.ts'
import type { DirectorySigner, SignerDirectory } from './signer-directory.ts'

/** What one signer, or the lack of one, says about a token. */
export interface TokenJudgement {
  readonly signer: DirectorySigner | undefined
  readonly verdict: Verdict
}

/** Hears one judgement after the other. Answers whether it is enough: then no other signer is asked. */
export type TakeJudgement = (judgement: TokenJudgement) => boolean | Promise<boolean>

export interface TokenJudge {
  /**
   * The judgement of each enabled signer that the token names, in order of id; of one without a signer when it names none.
   * For strangers: throws `TooManyRequests` before a signature is checked when too many in that signer's name were wrong.
   */
  judge(token: string, address: string, take: TakeJudgement): Promise<void>
  /**
   * The verdict of this very signer; its provider is asked for keys only when the token names the signer. Strangers are limited by their
   * `address` as above, somebody who has a session is not.
   */
  judgeFor(signer: DirectorySigner, token: string, address?: string): Promise<Verdict>
}

interface TokenJudgeParts {
  readonly directory: SignerDirectory
  readonly judgeBySigner: JudgeBySigner
  readonly cache: VerifiedTokenCache
  readonly clock: Clock
}

/** Every door brings its tokens here: the signer is chosen by issuer and audience, and the one verify function decides. */
export function createTokenJudge({ directory, judgeBySigner, cache, clock }: TokenJudgeParts): TokenJudge {
  return {
    judge: async (token, address, take) => {
      const reading = readJws(token, cache)
      if (!reading.ok) {
        await take({ signer: undefined, verdict: await refuseUnreadable(token) })
        return
      }
      const { jws } = reading
      const { untrustedIssuer, untrustedAudiences } = untrustedIssuerAndAudience(jws)
      const enabled = directory.enabled()
      const signers = enabled instanceof Promise ? await enabled : enabled
      const { issuerKnown, candidates } = signers.choose(untrustedIssuer, untrustedAudiences)
      if (candidates.length === 0) await take({ signer: undefined, verdict: refuseWithoutSigner(jws, issuerKnown) })
      for (const signer of candidates) {
        const taken = take({ signer, verdict: await judgeBySigner.forStranger(signer, jws, address, true) })
        if (taken instanceof Promise ? await taken : taken) return
      }
    },
    judgeFor: async (signer, token, address) => {
      const reading = readJws(token, cache)
      if (!reading.ok) return refuseUnreadable(token)
      const { untrustedIssuer, untrustedAudiences } = untrustedIssuerAndAudience(reading.jws)
      const isNamed = untrustedIssuer === signer.issuer && untrustedAudiences.includes(signer.audience)
      return address === undefined
        ? judgeBySigner.forKnown(signer, reading.jws, isNamed)
        : judgeBySigner.forStranger(signer, reading.jws, address, isNamed)
    },
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
