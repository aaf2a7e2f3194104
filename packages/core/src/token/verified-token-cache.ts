import { LRUCache } from 'lru-cache'
import type { SignerKeys } from '../key/signer-key.ts'
import { SeenDigests } from '../seen-digests.ts'
import type { UntrustedJws } from './jws.ts'
import { isVerifyingKeyUsable } from './key-checks.ts'
import { validityPeriod } from './time-checks.ts'
import type { AcceptedVerdict } from './verdict.ts'
import type { VerifySigner } from './verify-signer.ts'

/** An earlier verdict, with the conditions under which it may be reused. */
interface CachedVerdict {
  readonly verdict: AcceptedVerdict
  readonly revision: string | number
  readonly fromMs: number
  readonly untilMs: number
}

interface CachedToken {
  readonly jws: UntrustedJws
  readonly verdictsBySigner: Map<string, CachedVerdict>
}

export interface VerifiedTokenCacheLimits {
  readonly maxTokens: number
  /** Total length of the cached tokens in characters. Their memory use is a small multiple of it. */
  readonly maxCharacters: number
}

const DEFAULT_LIMITS: VerifiedTokenCacheLimits = { maxTokens: 10_000, maxCharacters: 16 * 1024 * 1024 }
const MAX_VERDICTS_PER_TOKEN = 8

/**
 * LRU cache of verified tokens, keyed by SHA-256 of the whole token. A verdict is reused only for the same signer at the same revision, while
 * the same key is in its key set, allows the algorithm, is within its dates and not stale, and while the token is valid. Refused tokens are never cached,
 * so that unauthenticated clients cannot fill it. Neither is a token that verifies for the first time: most tokens are presented once, and
 * caching one costs as much as verifying it.
 */
export class VerifiedTokenCache {
  readonly #tokens: LRUCache<string, CachedToken>
  readonly #seen = new SeenDigests()

  constructor({ maxTokens, maxCharacters }: VerifiedTokenCacheLimits = DEFAULT_LIMITS) {
    this.#tokens = new LRUCache({ max: maxTokens, maxSize: maxCharacters, sizeCalculation: ({ jws }) => jws.length })
  }

  get size(): number {
    return this.#tokens.size
  }

  /** The parsed form of a token that was verified before. Still untrusted: the current signer may be a different one. */
  findJws(digest: string): UntrustedJws | undefined {
    return this.#tokens.get(digest)?.jws
  }

  findVerdict(digest: string, signer: VerifySigner, keys: SignerKeys, nowMs: number): AcceptedVerdict | undefined {
    const cached = this.#tokens.peek(digest)?.verdictsBySigner.get(signer.id)
    if (!cached || cached.revision !== signer.revision || nowMs < cached.fromMs || nowMs >= cached.untilMs) {
      return undefined
    }
    return isVerifyingKeyUsable(cached.verdict.token, keys, nowMs) ? cached.verdict : undefined
  }

  remember(jws: UntrustedJws, verdict: AcceptedVerdict, signer: VerifySigner): void {
    const cached = this.#tokens.peek(jws.digest) ?? (this.#seen.note(jws.digest) ? this.#add(jws) : undefined)
    if (!cached) return
    const { verdictsBySigner } = cached
    if (verdictsBySigner.size >= MAX_VERDICTS_PER_TOKEN) verdictsBySigner.clear()
    const period = validityPeriod(jws.untrustedClaims, signer)
    verdictsBySigner.set(signer.id, { verdict, revision: signer.revision, ...period })
  }

  #add(jws: UntrustedJws): CachedToken {
    jws.dropSignature()
    const cached = { jws, verdictsBySigner: new Map<string, CachedVerdict>() }
    this.#tokens.set(jws.digest, cached)
    return cached
  }
}
