import { BoundedCache } from '@countersign/core'
import type { StoredAuthPolicy } from '../store/auth-policy-row.ts'
import type { Change } from '../store/change.ts'
import type { StoredIdentity } from '../store/identity-row.ts'
import { findDefaultAdministrator } from '../store/reads/administrator-reads.ts'
import type { StoredSigner } from '../store/signer-row.ts'
import type { Store } from '../store/store.ts'
import type { KnownPolicies } from './known-policies.ts'
import { findObstacle, loadAttempt, type SignInAttempt } from './login-obstacles.ts'

interface Known {
  readonly identity: StoredIdentity
  readonly policy: StoredAuthPolicy
}

const MAX_KNOWN = 20_000
const BY_ID = { useExternalId: false } as StoredSigner

/**
 * Identities and their policies by the claim that names them, cached until the change log reports a change. Refused ones are not cached: the
 * reason may be gone the next moment, and the time of a refusal must not show who is known. So a refusal costs one look-up that finds an
 * identity and one that finds none, in whichever order.
 */
export class KnownIdentities {
  readonly #store: Store
  readonly #policies: KnownPolicies
  readonly #known = new BoundedCache<string, Known>(MAX_KNOWN)
  #generation = 0
  #standIn: string | undefined

  constructor(store: Store, policies: KnownPolicies) {
    this.#store = store
    this.#policies = policies
    store.onChange((changes) => {
      if (changes !== 'everything' && !changes.some(concernsIdentities)) return
      this.#generation++
      this.#forget(changes)
    })
  }

  /** The identity that the claim of an accepted token stands for; at once where it is cached. */
  find(signer: StoredSigner, claim: string, now: number): SignInAttempt | Promise<SignInAttempt> {
    const name = `${signer.useExternalId ? 'externalId' : 'id'} ${claim}`
    const known = this.#known.get(name)
    const attempt = known && { signer, claim, ...known, now }
    return attempt && findObstacle(attempt) === undefined ? attempt : this.#load(name, signer, claim, now)
  }

  async #load(name: string, signer: StoredSigner, claim: string, now: number): Promise<SignInAttempt> {
    const before = this.#generation
    const attempt = await loadAttempt(this.#store.db, signer, claim, now, this.#policies)
    const { identity, policy } = attempt
    if (!identity || !policy || findObstacle(attempt) !== undefined) {
      const standIn = await this.#findStandIn()
      await loadAttempt(this.#store.db, BY_ID, identity ? '' : standIn, now, this.#policies)
      return attempt
    }
    // It may have changed while it was read: then it is good for this login, but not for the next.
    if (before === this.#generation) this.#known.set(name, { identity, policy })
    return attempt
  }

  /** An identity that always exists. */
  async #findStandIn(): Promise<string> {
    this.#standIn ??= (await findDefaultAdministrator(this.#store.db)) ?? ''
    return this.#standIn
  }

  #forget(changes: readonly Change[] | 'everything'): void {
    if (changes === 'everything' || changes.some(({ entity }) => entity === 'authPolicies')) {
      this.#known.clear()
      return
    }
    const changed = new Set(changes.map(({ id }) => id))
    for (const [claim, { identity }] of [...this.#known.entries()])
      if (changed.has(identity.id)) this.#known.delete(claim)
  }
}

function concernsIdentities({ entity, action }: Change): boolean {
  return action !== 'created' && (entity === 'identities' || entity === 'authPolicies')
}
