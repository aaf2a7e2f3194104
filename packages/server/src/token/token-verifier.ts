import {
  isSignerNamed,
  readJws,
  refuseWithoutSigner,
  untrustedIssuerAndAudience,
  type Verdict,
  type VerifiedTokenCache,
  verifyToken,
} from '@countersign/core'
import type { Clock } from '../platform/clock.ts'
import type { DirectorySigner, SignerDirectory } from './signer-directory.ts'
import type { SignerVerifier } from './signer-verifier.ts'

/** The verdict of one signer about a token; of no signer when the token names none. */
export interface SignerVerdict {
  readonly signer: DirectorySigner | undefined
  readonly verdict: Verdict
}

/** Takes one verdict after the other. Returns whether it is enough: then no other signer is asked. */
export type TakeVerdict = (verdict: SignerVerdict) => boolean | Promise<boolean>

interface TokenVerifierParts {
  readonly directory: SignerDirectory
  readonly signerVerifier: SignerVerifier
  readonly cache: VerifiedTokenCache
  readonly clock: Clock
}

/** Chooses the signers of a token by issuer and audience, and lets the one verify function decide. Logins, second factors and enrollments use it. */
export class TokenVerifier {
  readonly #parts: TokenVerifierParts

  constructor(parts: TokenVerifierParts) {
    this.#parts = parts
  }

  /**
   * The verdict of each enabled signer that the token names, in order of id; one without a signer when it names none. For callers without a
   * session: throws `TooManyRequests` before a signature is checked when too many in that signer's name were wrong.
   */
  async verify(token: string, address: string, take: TakeVerdict): Promise<void> {
    const { directory, signerVerifier, cache } = this.#parts
    const reading = readJws(token, cache)
    if (!reading.ok) {
      await take({ signer: undefined, verdict: await this.#refuseUnreadable(token) })
      return
    }
    const { jws } = reading
    const { untrustedIssuer, untrustedAudiences } = untrustedIssuerAndAudience(jws)
    const enabled = directory.enabled()
    const signers = enabled instanceof Promise ? await enabled : enabled
    const { issuerKnown, candidates } = signers.choose(untrustedIssuer, untrustedAudiences)
    if (candidates.length === 0) await take({ signer: undefined, verdict: refuseWithoutSigner(jws, issuerKnown) })
    for (const signer of candidates) {
      const taken = take({ signer, verdict: await signerVerifier.verifyForStranger(signer, jws, address, true) })
      const isEnough: boolean = taken instanceof Promise ? await taken : taken
      if (isEnough) return
    }
  }

  /**
   * The verdict of this very signer; its provider is asked for keys only when the token names the signer. With an `address` the caller is
   * limited as above; a caller with a session is not.
   */
  async verifyBy(signer: DirectorySigner, token: string, address?: string): Promise<Verdict> {
    const { signerVerifier, cache } = this.#parts
    const reading = readJws(token, cache)
    if (!reading.ok) return this.#refuseUnreadable(token)
    const { untrustedIssuer, untrustedAudiences } = untrustedIssuerAndAudience(reading.jws)
    const isNamed = isSignerNamed(signer, untrustedIssuer, untrustedAudiences)
    return address === undefined
      ? signerVerifier.verifyForSession(signer, reading.jws, isNamed)
      : signerVerifier.verifyForStranger(signer, reading.jws, address, isNamed)
  }

  /** A text that is no token is refused before any signer is looked at, so any will do. */
  #refuseUnreadable(token: string): Promise<Verdict> {
    return verifyToken(token, NO_SIGNER, new Map(), this.#parts.clock.now())
  }
}

const NO_SIGNER: DirectorySigner['verify'] = {
  id: '',
  revision: 0,
  issuer: '',
  audience: '',
  additionalAudiences: [],
  claimsProperty: { text: '/sub', segments: ['sub'] },
  clockSkewSeconds: 0,
  requiredClaims: [],
  claimRules: [],
}
