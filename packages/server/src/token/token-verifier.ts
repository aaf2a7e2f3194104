import {
  type CheckSignature,
  isSignerNamed,
  isVerifyingKeyUsable,
  MAX_CANDIDATES,
  type PossessionProofs,
  type RuleBudget,
  type RuleRequest,
  readJws,
  refuseTooManySigners,
  refuseUnreadable,
  refuseWithoutSigner,
  type TokenPurpose,
  type UntrustedJws,
  untrustedIssuerAndAudience,
  type Verdict,
  type VerifiedToken,
  type VerifiedTokenCache,
  type VerifySigner,
  verifyToken,
} from '@countersign/core'
import type { Metrics } from '../events/metrics/metrics.ts'
import type { KeySets } from '../keyset/key-sets.ts'
import { UNCOUNTED } from '../limits/attempt-limiter.ts'
import type { SignerLimiter } from '../limits/signer-limiter.ts'
import type { Clock } from '../platform/clock.ts'
import type { KeySigner } from '../store/key-signer.ts'
import type { TokenContext } from './request-proofs.ts'
import { RuleBudgets } from './rule-budgets.ts'
import { signerRulesInTurn } from './rule-turns.ts'
import { oncePerKey } from './signatures/once-per-key.ts'
import type { DirectorySigner, SignerDirectory } from './signer-directory.ts'

/** One signer's verdict on a token; without a signer when the token names none. */
export interface SignerVerdict {
  readonly signer: DirectorySigner | undefined
  readonly verdict: Verdict
}

/** The keys and rules to verify a token with: a signer of the directory, or an identity provider of the hosted API. */
export interface VerifyingSigner {
  readonly stored: KeySigner
  readonly verify: VerifySigner
}

/** The keys and rules for tokens that are not for logging in. */
export interface EventVerifier extends VerifyingSigner {
  readonly verify: VerifySigner<string>
}

export type EventPurpose = Exclude<TokenPurpose, 'login' | 'proof'>

/** Where a token comes from. */
export interface TokenSource {
  /** Set for a caller without a session: invalid signatures count against the limit of the address. */
  readonly address?: string | undefined
  /** What the request proves, for tokens that are bound to a key. */
  readonly proofs?: PossessionProofs | undefined
  /** For rules. */
  readonly request?: RuleRequest | undefined
  readonly ruleBudget?: RuleBudget | undefined
}

interface TokenVerifierParts {
  readonly directory: SignerDirectory
  readonly keys: KeySets
  readonly cache: VerifiedTokenCache
  readonly clock: Clock
  readonly limit: SignerLimiter
  readonly metrics: Pick<Metrics, 'tokenVerified' | 'tokenFromCache'>
  readonly checkSignature: CheckSignature
  /** Whether the OpenID provider of this controller signs with this key. No signer accepts its tokens, whatever keys the signer publishes. */
  readonly isOwnKey: (kid: string) => Promise<boolean>
}

/** Chooses the signers of a token by issuer and audience and verifies it with each. Every token of every API passes here. */
export class TokenVerifier {
  readonly #parts: TokenVerifierParts

  constructor(parts: TokenVerifierParts) {
    this.#parts = parts
  }

  /**
   * Yields the verdict of each enabled signer that the token names, in order of id, or one without a signer when it names none or too many.
   * A signer is not tried before its verdict is asked for. For callers without a session: throws `TooManyRequests`, before checking a signature,
   * after too many invalid signatures for that signer. A request with several tokens passes the same `rules` for all of them.
   */
  async *verify(token: string, request: TokenContext, rules = new RuleBudgets()): AsyncGenerator<SignerVerdict, void> {
    const { directory, cache, checkSignature } = this.#parts
    const reading = readJws(token, cache)
    if (!reading.ok) {
      yield { signer: undefined, verdict: refuseUnreadable(reading) }
      return
    }
    const { jws } = reading
    const { untrustedIssuer, untrustedAudiences } = untrustedIssuerAndAudience(jws)
    const { issuerKnown, candidates } = (await directory.enabled()).choose(untrustedIssuer, untrustedAudiences)
    if (candidates.length === 0) yield { signer: undefined, verdict: refuseWithoutSigner(jws, issuerKnown) }
    if (candidates.length > MAX_CANDIDATES) {
      yield { signer: undefined, verdict: refuseTooManySigners(jws) }
      return
    }
    const check = candidates.length > 1 ? oncePerKey(checkSignature) : checkSignature
    const from = { address: request.address, proofs: request.proofs, request }
    for (const signer of candidates) {
      const ruleBudget = rules.of(signer.stored)
      yield { signer, verdict: await this.#verify(signer, jws, true, { ...from, ruleBudget }, check) }
    }
  }

  /**
   * Returns the verdict of this signer. Keys are fetched only when the token names the signer. With `isLimited`, invalid signatures are
   * limited as in `verify`; omit it for a caller with a session. For `rules` see there.
   */
  async verifyBy(
    signer: DirectorySigner,
    token: string,
    request: TokenContext,
    { isLimited = false, rules = new RuleBudgets() } = {},
  ): Promise<Verdict> {
    const reading = readJws(token, this.#parts.cache)
    if (!reading.ok) return refuseUnreadable(reading)
    const { untrustedIssuer, untrustedAudiences } = untrustedIssuerAndAudience(reading.jws)
    const isNamed = isSignerNamed(signer, untrustedIssuer, untrustedAudiences)
    const address = isLimited ? request.address : undefined
    const ruleBudget = rules.of(signer.stored)
    return this.verifyWith(signer, reading.jws, isNamed, { address, proofs: request.proofs, request, ruleBudget })
  }

  /** Returns the verdict on a token that an identity provider sent for another purpose than a login. Invalid signatures are limited as in `verify`. */
  async verifyEvent(signer: EventVerifier, token: string, purpose: EventPurpose, address: string): Promise<Verdict> {
    const reading = readJws(token, undefined, purpose)
    if (!reading.ok) return refuseUnreadable(reading)
    const { untrustedIssuer, untrustedAudiences } = untrustedIssuerAndAudience(reading.jws)
    const isNamed = isSignerNamed(signer.verify, untrustedIssuer, untrustedAudiences)
    return this.verifyWith(signer, reading.jws, isNamed, { address })
  }

  /** Like `verifyBy`, for given keys and rules. Uses the cached verdict of a login while it is valid. */
  verifyWith(signer: VerifyingSigner, jws: UntrustedJws, isNamed: boolean, from: TokenSource = {}): Promise<Verdict> {
    return this.#verify(signer, jws, isNamed, from, this.#parts.checkSignature)
  }

  /**
   * Whether a token that this signer has accepted is not expired, and the key that has verified it still one of the signer. Time passes while
   * signatures and rules wait for their turns.
   */
  stillAccepts({ stored }: Pick<VerifyingSigner, 'stored'>, token: VerifiedToken): boolean {
    const { keys, clock } = this.#parts
    const now = clock.now()
    return now < token.expiresAtMs && isVerifyingKeyUsable(token, keys.keysOf(stored), now)
  }

  async #verify(
    signer: VerifyingSigner,
    jws: UntrustedJws,
    isNamed: boolean,
    { address, proofs, request, ruleBudget }: TokenSource,
    checkSignature: CheckSignature,
  ): Promise<Verdict> {
    const { stored, verify } = signer
    const { keys, cache, clock, limit, metrics, isOwnKey } = this.#parts
    const { kid } = jws.untrustedHeader
    if (typeof kid === 'string' && (await isOwnKey(kid))) return refuseWithoutSigner(jws, false)
    const reading = keys.reading(stored)
    if (reading !== undefined) await reading
    // One that is sent with a proof is accepted only with it.
    const isCached = jws.purpose === 'login' && !proofs?.isDpop(jws.digest)
    const known = isCached ? cache.findVerdict(jws.digest, verify, keys.keysOf(stored), clock.now()) : undefined
    if (known) {
      metrics.tokenFromCache()
      return known
    }
    const attempt = address === undefined ? UNCOUNTED : limit.begin(stored.id, address)
    if (isNamed && typeof kid === 'string' && !keys.keysOf(stored).has(kid)) await keys.keyFor(stored, kid)
    const started = performance.now()
    const inTurn = signerRulesInTurn(stored, request?.address)
    const options = { cache, checkSignature, proofs, request, ruleBudget, inTurn }
    const judge = (): Promise<Verdict> =>
      verifyToken(jws, verify, keys.keysOf(stored), clock.now(), options).catch((tooMany: unknown) => {
        attempt.giveBack()
        throw tooMany
      })
    const first = await judge()
    // The message of an identity provider need not expire.
    const isOutdated = first.accepted && jws.purpose === 'login' && !this.stillAccepts(signer, first.token)
    const verdict = isOutdated ? await judge() : first
    metrics.tokenVerified(performance.now() - started)
    if (verdict.reason !== 'signature-invalid') attempt.giveBack()
    if (verdict.accepted && address !== undefined) limit.noteValid(stored.id, address)
    return verdict
  }
}
