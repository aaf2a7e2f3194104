import { BoundedCache } from '../bounded-cache.ts'
import type { SignerKeys } from '../key/signer-key.ts'
import { SeenBefore } from '../seen-before.ts'
import type { UntrustedJws } from './jws.ts'
import { isWithinDates } from './key-checks.ts'
import { periodOf } from './time-checks.ts'
import type { AcceptedVerdict } from './verdict.ts'
import type { VerifySigner } from './verify-signer.ts'

/** An earlier verdict with what must still hold for it to be repeated. */
interface Proof {
  readonly verdict: AcceptedVerdict
  readonly revision: string | number
  readonly fromMs: number
  readonly untilMs: number
}

interface CachedToken {
  readonly jws: UntrustedJws
  readonly proofs: Map<string, Proof>
}

export interface VerifiedTokenCacheLimits {
  readonly maxTokens: number
  /** Characters of all cached tokens together; what they take in memory is a small multiple. */
  readonly maxCharacters: number
}

const DEFAULT_LIMITS: VerifiedTokenCacheLimits = { maxTokens: 10_000, maxCharacters: 16 * 1024 * 1024 }
const MAX_PROOFS = 8

/**
 * Remembers tokens that verified, by SHA-256 of the whole token, the least recently used going first. A verdict is repeated only for the
 * same signer in the same revision, with the same key still in its set, allowed for the algorithm and within its dates, and within the
 * token's own time. Refused tokens are never kept, so strangers cannot fill it; nor is what verified for the first time, since most tokens are
 * shown once, and to keep each for a while costs as much as to verify it.
 */
export class VerifiedTokenCache {
  readonly #tokens: BoundedCache<string, CachedToken>
  readonly #seen = new SeenBefore()

  constructor({ maxTokens, maxCharacters }: VerifiedTokenCacheLimits = DEFAULT_LIMITS) {
    this.#tokens = new BoundedCache(maxTokens, { max: maxCharacters, of: ({ jws }) => jws.length })
  }

  get size(): number {
    return this.#tokens.size
  }

  /** The reading of a token that has been verified before. It is as untrusted as a fresh one: another signer may be asked now. */
  findJws(digest: string): UntrustedJws | undefined {
    return this.#tokens.get(digest)?.jws
  }

  findVerdict(digest: string, signer: VerifySigner, keys: SignerKeys, nowMs: number): AcceptedVerdict | undefined {
    const proof = this.#tokens.peek(digest)?.proofs.get(signer.id)
    if (!proof || proof.revision !== signer.revision || nowMs < proof.fromMs || nowMs >= proof.untilMs) return undefined
    const { kid, alg, keyThumbprint } = proof.verdict.token
    const key = keys.get(kid)
    const stillGood = key?.thumbprint === keyThumbprint && key.algs.includes(alg) && isWithinDates(key, nowMs)
    return stillGood ? proof.verdict : undefined
  }

  remember(jws: UntrustedJws, verdict: AcceptedVerdict, signer: VerifySigner): void {
    const cached = this.#tokens.peek(jws.digest) ?? (this.#seen.note(jws.digest) ? this.#add(jws) : undefined)
    if (!cached) return
    if (cached.proofs.size >= MAX_PROOFS) cached.proofs.clear()
    cached.proofs.set(signer.id, { verdict, revision: signer.revision, ...periodOf(jws.untrustedClaims, signer) })
  }

  #add(jws: UntrustedJws): CachedToken {
    jws.letGoOfSignature()
    const cached = { jws, proofs: new Map<string, Proof>() }
    this.#tokens.set(jws.digest, cached)
    return cached
  }
}
