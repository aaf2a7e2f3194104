import { createLruCache } from '@countersign/core'
import type { StoredAuthPolicy } from '../store/auth-policy-row.ts'
import type { Change } from '../store/change.ts'
import type { StoredIdentity } from '../store/identity-row.ts'
import { findDefaultAdministrator } from '../store/reads/administrator-reads.ts'
import type { StoredSigner } from '../store/signer-row.ts'
import type { Store } from '../store/store.ts'
import type { KnownPolicies } from './known-policies.ts'
import { findLoginRefusal, type LoginAttempt, loadAttempt, type TokenSubject } from './login-refusals.ts'

interface Known {
  readonly identity: StoredIdentity
  readonly policy: StoredAuthPolicy
}

const MAX_KNOWN = 20_000
const BY_ID = { useExternalId: false } as StoredSigner

/**
 * Identities and their policies by identity claim, cached until the change log reports a change. Refused ones are not cached: the reason may
 * disappear at any time, and the response time must not reveal which identities exist. So every refusal costs one lookup that finds an
 * identity and one that finds none, in either order.
 */
export class KnownIdentities {
  readonly #store: Store
  readonly #policies: KnownPolicies
  readonly #known = createLruCache<string, Known>(MAX_KNOWN)
  #generation = 0
  #existingId: string | undefined

  constructor(store: Store, policies: KnownPolicies) {
    this.#store = store
    this.#policies = policies
    store.onChange((changes) => {
      if (changes !== 'everything' && !changes.some(concernsIdentities)) return
      this.#generation++
      this.#forget(changes)
    })
  }

  /** Returns the identity for the claim of an accepted token; synchronously when it is cached. */
  find(signer: StoredSigner, subject: TokenSubject, now: number): LoginAttempt | Promise<LoginAttempt> {
    const name = `${signer.useExternalId ? 'externalId' : 'id'} ${subject.claim}`
    const known = this.#known.get(name)
    const attempt = known && { signer, ...subject, ...known, now }
    return attempt && findLoginRefusal(attempt) === undefined ? attempt : this.#load(name, signer, subject, now)
  }

  async #load(name: string, signer: StoredSigner, subject: TokenSubject, now: number): Promise<LoginAttempt> {
    const before = this.#generation
    const attempt = await loadAttempt(this.#store.db, signer, subject, now, this.#policies)
    const { identity, policy } = attempt
    if (!identity || !policy || findLoginRefusal(attempt) !== undefined) {
      const existingId = await this.#findExistingId()
      await loadAttempt(this.#store.db, BY_ID, { ...subject, claim: identity ? '' : existingId }, now, this.#policies)
      return attempt
    }
    // Not cached when it changed while it was read: the row may be outdated.
    if (before === this.#generation) this.#known.set(name, { identity, policy })
    return attempt
  }

  /** Returns the id of an identity that always exists. */
  async #findExistingId(): Promise<string> {
    this.#existingId ??= (await findDefaultAdministrator(this.#store.db)) ?? ''
    return this.#existingId
  }

  #forget(changes: readonly Change[] | 'everything'): void {
    if (changes === 'everything' || changes.some(({ entity }) => entity === 'authPolicies')) {
      this.#known.clear()
      return
    }
    const changed = new Set(changes.map(({ id }) => id))
    for (const [claim, { identity }] of [...this.#known.entries()]) {
      const { id, suppliedAttributes } = identity
      if (changed.has(id) || suppliedAttributes.some(({ signerId }) => changed.has(signerId))) this.#known.delete(claim)
    }
  }
}

/** Attributes that a signer supplies can go with it. */
const FOLLOWED: ReadonlySet<Change['entity']> = new Set(['identities', 'authPolicies', 'externalJwtSigners'])

function concernsIdentities({ entity, action }: Change): boolean {
  return action !== 'created' && FOLLOWED.has(entity)
}
