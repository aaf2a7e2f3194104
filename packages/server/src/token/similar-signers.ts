import {
  type CheckedSigner,
  type CheckSignature,
  type CredentialUse,
  findSimilarSigners,
  isSignerNamed,
  KeySetError,
  keysUntil,
  MAX_CANDIDATES,
  pinnedKeys,
  refuseTooManySigners,
  type SignerKeys,
  type VerifyOptions as TokenOptions,
  type UntrustedJws,
  untrustedIssuerAndAudience,
  type VerifySigner,
  verifyToken,
} from '@countersign/core'
import type { Logger } from 'pino'
import type { KeySets } from '../keyset/key-sets.ts'
import { hasStaticKeys } from '../keyset/static-keys.ts'
import { readStoredKeys } from '../keyset/stored-key-set.ts'
import type { Clock } from '../platform/clock.ts'
import { PUSHED } from '../store/key-signer.ts'
import { loadKeySigner } from '../store/reads/key-signer-reads.ts'
import type { StoredSigner } from '../store/signer-row.ts'
import type { Store } from '../store/store.ts'
import { preparedSigner } from './prepared-signer.ts'
import type { TokenContext } from './request-proofs.ts'
import { RuleBudgets } from './rule-budgets.ts'
import { signerRulesInTurn } from './rule-turns.ts'
import { oncePerKey } from './signatures/once-per-key.ts'
import type { SignerDirectory } from './signer-directory.ts'

/** A signer that matches or nearly matches a token, with its keys and its verdict. */
export interface SimilarSignerVerdict extends CheckedSigner {
  readonly signer: StoredSigner
}

export interface SimilarSignersParts {
  readonly store: Store
  readonly directory: Pick<SignerDirectory, 'enabled' | 'all'>
  readonly keys: Pick<KeySets, 'keysOf' | 'keyFor' | 'unusedKeysOf'>
  readonly clock: Clock
  readonly log: Logger
  readonly checkSignature: CheckSignature
}

interface Similar {
  readonly signers: readonly StoredSigner[]
  /** A login with this token checks no signature. */
  readonly areTooMany: boolean
}

interface VerifyOptions {
  /** For refused requests, of which anyone can send any number: fetches no keys and compares a limited number of signers per second. */
  readonly isLimited: boolean
  /** Verifies with this signer only, whatever the token's issuer and audience. */
  readonly chosen?: StoredSigner | undefined
  /** What rules read, and what it proves. */
  readonly request?: TokenContext | undefined
  readonly wasUsed: (use: CredentialUse) => Promise<boolean>
}

/** Limit for refused requests. Comparing one signer takes about a microsecond. */
const MAX_COMPARED_PER_SECOND = 20_000
const NO_KEYS: SignerKeys = new Map()

/** Verifies a token with every signer that matches or nearly matches, without stopping at the first failed check. For explanations only. */
export class SimilarSigners {
  readonly #parts: SimilarSignersParts
  #second = 0
  #compared = 0

  constructor(parts: SimilarSignersParts) {
    this.#parts = parts
  }

  /** Returns undefined when `isLimited` and the limit of compared signers in this second is reached. */
  async verify(
    jws: UntrustedJws,
    { isLimited, chosen, request, wasUsed }: VerifyOptions,
  ): Promise<readonly SimilarSignerVerdict[] | undefined> {
    const similar = chosen ? { signers: [chosen], areTooMany: false } : await this.#find(jws, isLimited)
    if (!similar) return undefined
    const { signers, areTooMany } = similar
    if (areTooMany) return signers.map((signer) => ({ signer, keys: NO_KEYS, verdict: refuseTooManySigners(jws) }))
    const checkSignature = oncePerKey(this.#parts.checkSignature)
    const options = { continueAfterRefusal: true, checkSignature, request, proofs: request?.proofs, wasUsed }
    // Of its own: that of the request is spent.
    const rules = new RuleBudgets()
    const verdicts = signers.map((signer) =>
      this.#verifyBy(signer, jws, isLimited, { ...options, ruleBudget: rules.of(signer) }),
    )
    return (await Promise.all(verdicts)).flat()
  }

  /** An enabled signer with exactly this issuer and audience excludes similar ones, so the full list is not read. */
  async #find(jws: UntrustedJws, isLimited: boolean): Promise<Similar | undefined> {
    const { directory } = this.#parts
    const { untrustedIssuer, untrustedAudiences } = untrustedIssuerAndAudience(jws)
    const { candidates } = (await directory.enabled()).choose(untrustedIssuer, untrustedAudiences)
    const all = candidates.length > 0 ? candidates.map(({ stored }) => stored) : await directory.all()
    if (isLimited && candidates.length === 0 && !this.#reserveComparisons(all.length)) return undefined
    const signers = findSimilarSigners(jws.untrustedClaims, all)
    return { signers, areTooMany: candidates.length > MAX_CANDIDATES }
  }

  #reserveComparisons(count: number): boolean {
    const second = Math.floor(this.#parts.clock.now() / 1000)
    if (second !== this.#second) this.#compared = 0
    this.#second = second
    if (this.#compared > 0 && this.#compared + count > MAX_COMPARED_PER_SECOND) return false
    this.#compared += count
    return true
  }

  /** Returns an empty list for a signer that cannot be used. */
  async #verifyBy(
    signer: StoredSigner,
    jws: UntrustedJws,
    isLimited: boolean,
    options: TokenOptions,
  ): Promise<SimilarSignerVerdict[]> {
    const { clock, log } = this.#parts
    let verifySigner: VerifySigner
    try {
      verifySigner = preparedSigner(signer)
    } catch (error) {
      log.error({ signerId: signer.id, err: error }, 'a stored signer cannot be used and is skipped')
      return []
    }
    const keys = await this.#keysFor(signer, jws, isLimited)
    const inTurn = signerRulesInTurn(signer, options.request?.address)
    const verdict = await verifyToken(jws, verifySigner, keys, clock.now(), { ...options, inTurn })
    const unusedKeys = signer.enabled ? this.#parts.keys.unusedKeysOf(signer) : new Map()
    return [{ signer, keys, unusedKeys, verdict }]
  }

  async #keysFor(signer: StoredSigner, jws: UntrustedJws, isLimited: boolean): Promise<SignerKeys> {
    if (!signer.enabled && !hasStaticKeys(signer)) return this.#loadKeys(signer)
    const { keys } = this.#parts
    const { kid } = jws.untrustedHeader
    const { untrustedIssuer, untrustedAudiences } = untrustedIssuerAndAudience(jws)
    const isNamed = isSignerNamed(signer, untrustedIssuer, untrustedAudiences)
    // As at login: an unknown kid is fetched only when the token names the signer.
    if (!isLimited && isNamed && typeof kid === 'string' && !keys.keysOf(signer).has(kid))
      await keys.keyFor(signer, kid)
    return keys.keysOf(signer)
  }

  /** Loads the last stored keys of a disabled signer, to show whether it would accept the token. A disabled signer fetches no keys. */
  async #loadKeys({ id, jwksEndpoint, pushedKeys, pinnedKeyThumbprints }: StoredSigner): Promise<SignerKeys> {
    const keySet = (await loadKeySigner(this.#parts.store, id))?.keySet
    if (!keySet || keySet.url !== (pushedKeys ? PUSHED.url : jwksEndpoint)) return NO_KEYS
    try {
      const { used } = pinnedKeys(readStoredKeys(keySet.jwks), pinnedKeyThumbprints)
      return pushedKeys ? keysUntil(used, keySet.fetchedAt + pushedKeys.maxAgeSeconds * 1000) : used
    } catch (error) {
      if (error instanceof KeySetError) return NO_KEYS
      throw error
    }
  }
}
