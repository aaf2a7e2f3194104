import { BoundedCache } from '@countersign/core'
import type { StoredAuthPolicy } from '../store/auth-policy-row.ts'
import { findAuthPolicy } from '../store/reads/auth-policy-reads.ts'
import type { Store } from '../store/store.ts'

const MAX_POLICIES = 1_000

/**
 * Policies by their id, cached until the change log reports that one has changed: there are few, and every login and every session needs one. A
 * policy with many signers takes longer to read, which would show in the time of a refusal.
 */
export class KnownPolicies {
  readonly #store: Store
  readonly #policies = new BoundedCache<string, StoredAuthPolicy>(MAX_POLICIES)
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
    // It may have changed while it was read: then it is good for this call, but not for the next.
    if (policy && before === this.#generation) this.#policies.set(id, policy)
    return policy
  }
}
