import type { StoredAuthPolicy } from '../../store/auth-policy-row.ts'
import type { StoredIdentity } from '../../store/identity-row.ts'
import { findIdentitiesByClaims } from '../../store/reads/identity-reads.ts'
import type { Store } from '../../store/store.ts'
import type { KnownPolicies } from '../../token/known-policies.ts'

export interface IdentityKeys {
  readonly ids: readonly string[]
  readonly externalIds: readonly string[]
}

const BATCH = 200

/** Stored identities and their policies, loaded in batches. */
export class IdentityTable {
  readonly #store: Pick<Store, 'db'>
  readonly #knownPolicies: Pick<KnownPolicies, 'find'>
  readonly #byId = new Map<string, StoredIdentity>()
  readonly #byExternalId = new Map<string, StoredIdentity>()
  readonly #policies = new Map<string, StoredAuthPolicy | undefined>()
  readonly #asked = { ids: new Set<string>(), externalIds: new Set<string>() }

  constructor(store: Pick<Store, 'db'>, policies: Pick<KnownPolicies, 'find'>) {
    this.#store = store
    this.#knownPolicies = policies
  }

  /** Loads the identities with these keys, and their policies. Each is read once. */
  async load(keys: IdentityKeys): Promise<void> {
    const ids = this.#newOf('ids', keys.ids)
    const externalIds = this.#newOf('externalIds', keys.externalIds)
    const policies = new Set<string>()
    for (let at = 0; at < Math.max(ids.length, externalIds.length); at += BATCH) {
      const batch = { ids: ids.slice(at, at + BATCH), externalIds: externalIds.slice(at, at + BATCH) }
      for (const identity of await findIdentitiesByClaims(this.#store.db, batch)) {
        this.#put(identity)
        policies.add(identity.authPolicyId)
      }
    }
    await this.loadPolicies([...policies])
  }

  async loadPolicies(ids: readonly string[]): Promise<void> {
    for (const id of new Set(ids)) {
      if (!this.#policies.has(id)) this.#policies.set(id, await this.#knownPolicies.find(id))
    }
  }

  findById(id: string): StoredIdentity | undefined {
    return this.#byId.get(id)
  }

  findByExternalId(externalId: string): StoredIdentity | undefined {
    return this.#byExternalId.get(externalId)
  }

  findPolicy(id: string): StoredAuthPolicy | undefined {
    return this.#policies.get(id)
  }

  #put(identity: StoredIdentity): void {
    this.#byId.set(identity.id, identity)
    this.#asked.ids.add(identity.id)
    if (identity.externalId !== null) this.#byExternalId.set(identity.externalId, identity)
  }

  #newOf(kind: keyof IdentityKeys, keys: readonly string[]): string[] {
    const asked = this.#asked[kind]
    const found = [...new Set(keys)].filter((key) => !asked.has(key))
    for (const key of found) asked.add(key)
    return found
  }
}
