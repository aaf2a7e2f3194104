import { createLruCache } from '@countersign/core'
import type { StoredAuthPolicy } from '../store/auth-policy-row.ts'
import { findAuthPolicy } from '../store/reads/auth-policy-reads.ts'
import type { Store } from '../store/store.ts'

const MAX_POLICIES = 1_000

/**
 * Policies by id, cached until the change log reports a change: there are few, and every login and session needs one. Reading a policy with
 * many signers takes longer, which the time of a refusal would reveal.
 */
export class KnownPolicies {
  readonly #store: Store
  readonly #policies = createLruCache<string, StoredAuthPolicy>(MAX_POLICIES)
  #generation = 0

  constructor(store: Store) {
    this.#store = store
    store.onChange((changes) => {
      if (changes !== 'everything' && !changes.some(({ entity }) => entity === 'authPolicies')) return
      this.#generation++
      this.#policies.clear()
    })
  }

  async find(id: string): Promise<StoredAuthPolicy | undefined> {
    const known = this.#policies.get(id)
    if (known) return known
    const before = this.#generation
    const policy = await findAuthPolicy(this.#store.db, id)
    // Not cached when it changed while it was read: the row may be outdated.
    if (policy && before === this.#generation) this.#policies.set(id, policy)
    return policy
  }
}
