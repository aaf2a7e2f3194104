import type { StoredAuthPolicy } from '../store/auth-policy-row.ts'
import { type DependenciesOf, DependentCache } from '../store/dependent-cache.ts'
import { type StoredIdentity, weightOfIdentity } from '../store/identity-row.ts'
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
/** Attributes that a signer supplies can go with it. */
const DEPENDENCIES: DependenciesOf<Known> = {
  identities: ({ identity }) => [identity.id],
  authPolicies: ({ policy }) => [policy.id],
  externalJwtSigners: ({ identity }) => identity.suppliedAttributes.map(({ signerId }) => signerId),
}
const BY_ID = { useExternalId: false } as StoredSigner

/**
 * Identities and their policies by identity claim, cached until the change log reports a change. Refused ones are not cached: the reason may
 * disappear at any time, and the response time must not reveal which identities exist. So every refusal costs one lookup that finds an
 * identity and one that finds none, in either order.
 */
export class KnownIdentities {
  readonly #store: Store
  readonly #policies: KnownPolicies
  readonly #known = new DependentCache<Known>(MAX_KNOWN, DEPENDENCIES, ({ identity }) => weightOfIdentity(identity))
  #existingId: string | undefined

  constructor(store: Store, policies: KnownPolicies) {
    this.#store = store
    this.#policies = policies
    store.onChange((changes) => this.#known.follow(changes))
  }

  /** Returns the identity for the claim of an accepted token. */
  async find(signer: StoredSigner, subject: TokenSubject, now: number): Promise<LoginAttempt> {
    const name = `${signer.useExternalId ? 'externalId' : 'id'} ${subject.claim}`
    const known = this.#known.get(name)
    const attempt = known && { signer, ...subject, ...known, now }
    return attempt && findLoginRefusal(attempt) === undefined ? attempt : this.#load(name, signer, subject, now)
  }

  #load(name: string, signer: StoredSigner, subject: TokenSubject, now: number): Promise<LoginAttempt> {
    return this.#known.load(name, () => this.#read(signer, subject, now), knownIn)
  }

  async #read(signer: StoredSigner, subject: TokenSubject, now: number): Promise<LoginAttempt> {
    const attempt = await loadAttempt(this.#store.db, signer, subject, now, this.#policies)
    if (knownIn(attempt)) return attempt
    const existingId = await this.#findExistingId()
    const claim = attempt.identity ? '' : existingId
    await loadAttempt(this.#store.db, BY_ID, { ...subject, claim }, now, this.#policies)
    return attempt
  }

  /** Returns the id of an identity that always exists. */
  async #findExistingId(): Promise<string> {
    this.#existingId ??= (await findDefaultAdministrator(this.#store.db)) ?? ''
    return this.#existingId
  }
}

function knownIn(attempt: LoginAttempt): Known | undefined {
  const { identity, policy } = attempt
  return identity && policy && findLoginRefusal(attempt) === undefined ? { identity, policy } : undefined
}
