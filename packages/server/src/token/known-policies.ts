import { BoundedCache } from '@countersign/core'
import type { StoredAuthPolicy } from '../store/auth-policy-row.ts'
import { findAuthPolicy } from '../store/reads/auth-policy-reads.ts'
import type { Store } from '../store/store.ts'

export type FindPolicy = (id: string) => Promise<StoredAuthPolicy | undefined>

const MAX_POLICIES = 1_000

/**
 * Policies by their id, remembered until the change log says that one has changed: there are few, and everybody who signs in or shows a
 * session has one. A policy with many signers takes longer to read, which a refusal would tell.
 */
export function createKnownPolicies(store: Store): FindPolicy {
  const policies = new BoundedCache<string, StoredAuthPolicy>(MAX_POLICIES)
  let generation = 0

  store.onChange((changes) => {
    if (changes !== 'everything' && !changes.some(({ entity }) => entity === 'authPolicies')) return
    generation++
    policies.clear()
  })

  return async (id) => {
    const remembered = policies.get(id)
    if (remembered) return remembered
    const before = generation
    const policy = await findAuthPolicy(store.db, id)
    // What was read may have changed while it was read: then it is good for this call, but not for the next.
    if (policy && before === generation) policies.set(id, policy)
    return policy
  }
}
