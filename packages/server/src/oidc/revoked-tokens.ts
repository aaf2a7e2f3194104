import { createLruCache } from '@countersign/core'
import { isRevoked } from '../store/reads/revocation-reads.ts'
import type { Store } from '../store/store.ts'

const MAX_CACHED = 20_000

/** Which access tokens are revoked. Tokens that are not are cached until the change log reports a revocation of them. */
export class RevokedTokens {
  readonly #store: Pick<Store, 'db'>
  readonly #good = createLruCache<string, true>(MAX_CACHED)
  #generation = 0

  constructor(store: Pick<Store, 'db' | 'onChange'>) {
    this.#store = store
    store.onChange((changes) => {
      const revoked = changes === 'everything' ? changes : changes.filter(({ entity }) => entity === 'revocations')
      if (revoked.length === 0) return
      this.#generation++
      if (revoked === 'everything') this.#good.clear()
      else for (const { id } of revoked) this.#good.delete(id)
    })
  }

  async has(jti: string): Promise<boolean> {
    if (this.#good.get(jti)) return false
    const before = this.#generation
    const revoked = await isRevoked(this.#store.db, jti)
    if (!revoked && before === this.#generation) this.#good.set(jti, true)
    return revoked
  }
}
