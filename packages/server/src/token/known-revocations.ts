import { createLruCache, isIssuedBefore, type RevocableToken } from '@countersign/core'
import { findLatestRevocation, type Revocation } from '../store/reads/token-revocation-reads.ts'
import type { Store } from '../store/store.ts'

const MAX_KNOWN = 20_000
const NONE: Revocation = { revokedAt: Number.NEGATIVE_INFINITY, cause: '' }

/** Whether tokens are revoked, for tokens that come with every call: cached until the change log reports a revocation. */
export class KnownRevocations {
  readonly #store: Store
  readonly #latest = createLruCache<string, Revocation>(MAX_KNOWN)
  #generation = 0

  constructor(store: Store) {
    this.#store = store
    store.onChange((changes) => {
      if (changes !== 'everything' && !changes.some(({ entity }) => entity === 'tokenRevocations')) return
      this.#generation++
      this.#latest.clear()
    })
  }

  async isRevoked(signerId: string, token: RevocableToken): Promise<boolean> {
    const name = [signerId, ...token.revocationKeys].join(' ')
    const { revokedAt, cause } = this.#latest.get(name) ?? (await this.#load(name, signerId, token))
    return cause !== '' && isIssuedBefore(token, revokedAt)
  }

  async #load(name: string, signerId: string, token: RevocableToken): Promise<Revocation> {
    const before = this.#generation
    const latest = (await findLatestRevocation(this.#store.db, signerId, token)) ?? NONE
    // Not cached when there was a revocation while it was read.
    if (before === this.#generation) this.#latest.set(name, latest)
    return latest
  }
}
