import { type KeySet, type SignerKeys, thumbprintsOf } from '@countersign/core'
import { isSameEndpoint, type KeyEndpoint, type NewKeySet, type StoredKeySet } from '../store/key-signer.ts'
import { EMPTY_SET_MS } from './refresh-timing.ts'
import type { SignerKeyWarning } from './signer-key-warning.ts'
import { formatKeySet, readStoredKeys } from './stored-key-set.ts'

const NO_KEYS: SignerKeys = new Map()

type Warn = (kind: SignerKeyWarning['kind'], message: string) => void

/** When a key set was requested: on the wall clock, which nodes share, and on the monotonic clock. */
export interface RequestTime {
  readonly at: number
  readonly elapsedMs: number
}

/** The last valid keys of one provider, and the rules for replacing them. */
export class ServedKeys {
  readonly #endpoint: KeyEndpoint
  readonly #maxAgeMs: number
  readonly #warn: Warn
  #keys: SignerKeys = NO_KEYS
  #text = ''
  #fetchedAt: number | undefined
  #emptySince: number | undefined
  #setWarnings: readonly string[] = []
  #reportedLeftOut = ''
  #exposesSecrets = false

  constructor(endpoint: KeyEndpoint, maxAgeMs: number, warn: Warn) {
    this.#endpoint = endpoint
    this.#maxAgeMs = maxAgeMs
    this.#warn = warn
  }

  get fetchedAt(): number | undefined {
    return this.#fetchedAt
  }

  /** Returns the keys that may be used now. */
  keys(now: number): SignerKeys {
    return this.#fetchedAt !== undefined && now - this.#fetchedAt <= this.#maxAgeMs ? this.#keys : NO_KEYS
  }

  /** Uses a stored key set, whose keys may be parsed already, if it is newer. Throws `KeySetError` when it cannot be read. */
  adopt(stored: StoredKeySet, now: number, keys?: SignerKeys): void {
    const { jwks, fetchedAt } = stored
    const isNewer = this.#fetchedAt === undefined || fetchedAt > this.#fetchedAt || this.#fetchedAt > now
    if (!isSameEndpoint(stored, this.#endpoint) || !isNewer) return
    if (jwks !== this.#text) this.#keys = keys ?? readStoredKeys(jwks)
    this.#text = jwks
    // A time in the future was stored by a node with a wrong clock: the age counts from now.
    this.#fetchedAt = Math.min(fetchedAt, now)
    if (this.#keys.size > 0) this.#emptySince = undefined
  }

  /** Uses a fetched key set. Returns what to store; undefined when the earlier keys stay in use. */
  replace(keySet: KeySet, requested: RequestTime, now: number): NewKeySet | undefined {
    const replacement = this.findReplacement(keySet, requested, now)
    if (replacement) this.use(keySet, replacement)
    return replacement
  }

  /**
   * What to store when a fetched key set is used. Undefined when the earlier keys stay in use: the set was requested before they were, and
   * may lack a key that was withdrawn meanwhile, or it is not credible.
   */
  findReplacement(keySet: KeySet, requested: RequestTime, now: number): NewKeySet | undefined {
    const isOlder = this.#fetchedAt !== undefined && requested.at < this.#fetchedAt && this.#fetchedAt <= now
    if (isOlder || !this.#isCredible(keySet, requested)) return undefined
    const { keys } = keySet
    return { ...this.#endpoint, jwks: formatKeySet(keys), fetchedAt: requested.at, thumbprints: thumbprintsOf(keys) }
  }

  use(keySet: KeySet, { jwks, fetchedAt }: NewKeySet): void {
    // Unchanged keys stay the same objects, which keeps what was prepared for verifying with them.
    if (jwks !== this.#text) this.#keys = keySet.keys
    this.#text = jwks
    this.#fetchedAt = fetchedAt
    this.#report(keySet)
  }

  /** Warnings for administrators. */
  warnings(now: number): string[] {
    const warnings = [...this.#setWarnings]
    if (this.#exposesSecrets) warnings.push('the provider publishes a secret key: revoke it at the provider')
    if (this.#emptySince !== undefined) {
      const effect =
        this.#keys.size > 0 ? '; the earlier keys stay in use until it does so again' : ', so all tokens are refused'
      warnings.push(`the provider returned a key set without keys${effect}`)
    }
    if (this.#keys.size > this.keys(now).size)
      warnings.push('the last valid keys are too old, so all tokens are refused')
    return warnings
  }

  /** A provider that briefly publishes no keys must not lock out its users: an empty set is accepted only when fetched again later. */
  #isCredible({ keys, warnings }: KeySet, { elapsedMs }: RequestTime): boolean {
    // Every skipped entry has a warning, except encryption keys: this set contains no signature keys.
    const isEmpty = keys.size === 0 && warnings.length === 0
    if (!isEmpty) {
      this.#emptySince = undefined
      return true
    }
    if (this.#emptySince === undefined) {
      this.#emptySince = elapsedMs
      this.#warn('empty-key-set', 'the provider returned a key set without keys')
    }
    return this.#keys.size === 0 || elapsedMs - this.#emptySince >= EMPTY_SET_MS
  }

  #report({ warnings, notForSignatures, exposesSecrets }: KeySet): void {
    if (exposesSecrets && !this.#exposesSecrets) {
      this.#warn('secret-published', 'the provider publishes a secret key: it is not used, revoke it at the provider')
    }
    const leftOut = [...warnings, ...notForSignatures].join('; ')
    if (leftOut !== '' && leftOut !== this.#reportedLeftOut) this.#warn('keys-left-out', leftOut)
    this.#reportedLeftOut = leftOut
    this.#exposesSecrets = exposesSecrets
    this.#setWarnings = warnings
  }
}
