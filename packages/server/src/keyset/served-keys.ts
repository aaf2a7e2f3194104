import type { KeySet, SignerKeys } from '@countersign/core'
import type { StoredKeySet } from '../store/key-signer.ts'
import { EMPTY_SET_MS } from './refresh-timing.ts'
import type { SignerKeyWarning } from './signer-key-warning.ts'
import { formatKeySet, readStoredKeys } from './stored-key-set.ts'

const NO_KEYS: SignerKeys = new Map()

type Warn = (kind: SignerKeyWarning['kind'], message: string) => void

/** When a set was asked for: on the wall clock, which means something to other nodes, and on the clock that never jumps. */
export interface Asked {
  readonly at: number
  readonly elapsedMs: number
}

/** The last good keys of one provider, and the rules by which another set takes their place. */
export class ServedKeys {
  readonly #url: string
  readonly #maxAgeMs: number
  readonly #warn: Warn
  #keys: SignerKeys = NO_KEYS
  #text = ''
  #fetchedAt: number | undefined
  #emptySince: number | undefined
  #setWarnings: readonly string[] = []
  #toldLeftOut = ''
  #exposesSecrets = false

  constructor(url: string, maxAgeMs: number, warn: Warn) {
    this.#url = url
    this.#maxAgeMs = maxAgeMs
    this.#warn = warn
  }

  get fetchedAt(): number | undefined {
    return this.#fetchedAt
  }

  /** What may be used now. */
  keys(now: number): SignerKeys {
    return this.#fetchedAt !== undefined && now - this.#fetchedAt <= this.#maxAgeMs ? this.#keys : NO_KEYS
  }

  /** Takes a stored set if it is newer than what is served. Throws `KeySetError` for one that cannot be read. */
  adopt({ url, jwks, fetchedAt }: StoredKeySet, now: number): void {
    const isNewer = this.#fetchedAt === undefined || fetchedAt > this.#fetchedAt || this.#fetchedAt > now
    if (url !== this.#url || !isNewer) return
    if (jwks !== this.#text) this.#keys = readStoredKeys(jwks)
    this.#text = jwks
    // One from the future was stored while a clock was wrong: its age counts from now.
    this.#fetchedAt = Math.min(fetchedAt, now)
    if (this.#keys.size > 0) this.#emptySince = undefined
  }

  /** Takes a fetched set. Returns what to store; undefined when the earlier keys stay in use. */
  replace(keySet: KeySet, asked: Asked): StoredKeySet | undefined {
    if (!this.#isCredible(keySet, asked)) return undefined
    const jwks = formatKeySet(keySet.keys)
    // The same keys stay the same objects: what has been prepared for verifying with them is not thrown away.
    if (jwks !== this.#text) this.#keys = keySet.keys
    this.#text = jwks
    this.#fetchedAt = asked.at
    this.#tell(keySet)
    return { url: this.#url, jwks, fetchedAt: asked.at }
  }

  /** In words, for the administrator. */
  warnings(now: number): string[] {
    const warnings = [...this.#setWarnings]
    if (this.#exposesSecrets) warnings.push('the provider publishes a secret key: it must be withdrawn there')
    if (this.#emptySince !== undefined) {
      const effect = this.#keys.size > 0 ? '; the earlier keys serve until it does so again' : ': no token verifies'
      warnings.push(`the provider answered a key set without keys${effect}`)
    }
    if (this.#keys.size > this.keys(now).size) warnings.push('the last good keys are too old, no token verifies')
    return warnings
  }

  /** A provider that forgets all its keys for a moment must not lock everybody out: an empty set counts when it is seen again later. */
  #isCredible({ keys, warnings }: KeySet, { elapsedMs }: Asked): boolean {
    // Every entry that is left out has a warning, unless it is for encryption: this is a set without anything that signs.
    const isEmpty = keys.size === 0 && warnings.length === 0
    if (!isEmpty) {
      this.#emptySince = undefined
      return true
    }
    if (this.#emptySince === undefined) {
      this.#emptySince = elapsedMs
      this.#warn('empty-key-set', 'the provider answered a key set without keys')
    }
    return this.#keys.size === 0 || elapsedMs - this.#emptySince >= EMPTY_SET_MS
  }

  #tell({ warnings, notForSignatures, exposesSecrets }: KeySet): void {
    if (exposesSecrets && !this.#exposesSecrets) {
      this.#warn('secret-published', 'the provider publishes a secret key; it is not used and must be withdrawn there')
    }
    const leftOut = [...warnings, ...notForSignatures].join('; ')
    if (leftOut !== '' && leftOut !== this.#toldLeftOut) this.#warn('keys-left-out', leftOut)
    this.#toldLeftOut = leftOut
    this.#exposesSecrets = exposesSecrets
    this.#setWarnings = warnings
  }
}
