import {
  buildVerifySigner,
  findNearSigners,
  isSignerNamed,
  type JudgedSigner,
  KeySetError,
  type SignerKeys,
  type UntrustedJws,
  untrustedIssuerAndAudience,
  verifyToken,
} from '@countersign/core'
import type { Logger } from 'pino'
import type { KeySets } from '../keyset/key-sets.ts'
import { readStoredKeys } from '../keyset/stored-key-set.ts'
import type { Clock } from '../platform/clock.ts'
import { loadKeySigner } from '../store/reads/key-signer-reads.ts'
import type { StoredSigner } from '../store/signer-row.ts'
import type { Store } from '../store/store.ts'
import type { SignerDirectory } from './signer-directory.ts'

/** A signer that fits or nearly fits a token, with its keys and its verdict. */
export interface NearSignerVerdict extends JudgedSigner {
  readonly signer: StoredSigner
}

export interface NearSignersParts {
  readonly store: Store
  readonly directory: Pick<SignerDirectory, 'enabled' | 'all'>
  readonly keys: Pick<KeySets, 'keysOf' | 'keyFor'>
  readonly clock: Clock
  readonly log: Logger
}

interface VerifyOptions {
  /** For a token that was refused already, since anyone can cause any number of these: no provider is asked for keys. */
  readonly isHurried: boolean
}

/** Signers that may be compared with refused tokens in a second: comparing one takes about a microsecond. */
const COMPARED_PER_SECOND = 20_000
const NO_KEYS: SignerKeys = new Map()

/** Verifies a token by every signer that fits or nearly fits, each check that can be made. For explanations only. */
export class NearSigners {
  readonly #parts: NearSignersParts
  #second = 0
  #compared = 0

  constructor(parts: NearSignersParts) {
    this.#parts = parts
  }

  /** Undefined when `isHurried` and too many signers would have to be compared in this second. */
  async verify(jws: UntrustedJws, { isHurried }: VerifyOptions): Promise<readonly NearSignerVerdict[] | undefined> {
    const near = await this.#find(jws, isHurried)
    return near && (await Promise.all(near.map((signer) => this.#verifyBy(signer, jws, isHurried)))).flat()
  }

  /** With an enabled signer of exactly this issuer and audience no other is near, so that the whole list need not be read. */
  async #find(jws: UntrustedJws, isHurried: boolean): Promise<readonly StoredSigner[] | undefined> {
    const { directory } = this.#parts
    const { untrustedIssuer, untrustedAudiences } = untrustedIssuerAndAudience(jws)
    const { candidates } = (await directory.enabled()).choose(untrustedIssuer, untrustedAudiences)
    const all = candidates.length > 0 ? candidates.map(({ stored }) => stored) : await directory.all()
    if (isHurried && candidates.length === 0 && !this.#takeComparisons(all.length)) return undefined
    return findNearSigners(jws.untrustedClaims, all)
  }

  #takeComparisons(count: number): boolean {
    const second = Math.floor(this.#parts.clock.now() / 1000)
    if (second !== this.#second) this.#compared = 0
    this.#second = second
    if (this.#compared > 0 && this.#compared + count > COMPARED_PER_SECOND) return false
    this.#compared += count
    return true
  }

  /** None for a signer that cannot be used. */
  async #verifyBy(signer: StoredSigner, jws: UntrustedJws, isHurried: boolean): Promise<NearSignerVerdict[]> {
    const { clock, log } = this.#parts
    let verifySigner: ReturnType<typeof buildVerifySigner>
    try {
      verifySigner = buildVerifySigner(signer)
    } catch (error) {
      log.error({ signerId: signer.id, err: error }, 'a stored signer cannot be used and is left out')
      return []
    }
    const keys = await this.#keysFor(signer, jws, isHurried)
    const verdict = await verifyToken(jws, verifySigner, keys, clock.now(), { goesOnAfterRefusal: true })
    return [{ signer, keys, verdict }]
  }

  async #keysFor(signer: StoredSigner, jws: UntrustedJws, isHurried: boolean): Promise<SignerKeys> {
    if (!signer.enabled && signer.certPem === null) return this.#loadKeys(signer)
    const { keys } = this.#parts
    const { kid } = jws.untrustedHeader
    const { untrustedIssuer, untrustedAudiences } = untrustedIssuerAndAudience(jws)
    const isNamed = isSignerNamed(signer, untrustedIssuer, untrustedAudiences)
    // As at login: a provider is asked for an unknown kid only when the token names its signer.
    if (!isHurried && isNamed && typeof kid === 'string' && !keys.keysOf(signer).has(kid))
      await keys.keyFor(signer, kid)
    return keys.keysOf(signer)
  }

  /** The last keys of a disabled signer, which fetches nothing: they show whether it would accept the token. */
  async #loadKeys({ id, jwksEndpoint }: StoredSigner): Promise<SignerKeys> {
    const keySet = (await loadKeySigner(this.#parts.store, id))?.keySet
    if (!keySet || keySet.url !== jwksEndpoint) return NO_KEYS
    try {
      return readStoredKeys(keySet.jwks)
    } catch (error) {
      if (error instanceof KeySetError) return NO_KEYS
      throw error
    }
  }
}
