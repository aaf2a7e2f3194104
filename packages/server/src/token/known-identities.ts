import { isDeepStrictEqual } from 'node:util'
import type { RuleBudget } from '@countersign/core'
import type { StoredAuthPolicy } from '../store/auth-policy-row.ts'
import { type DependenciesOf, DependentCache } from '../store/dependent-cache.ts'
import { type StoredIdentity, weightOfIdentity } from '../store/identity-row.ts'
import { findDefaultAdministrator } from '../store/reads/administrator-reads.ts'
import type { StoredSigner } from '../store/signer-row.ts'
import type { Store } from '../store/store.ts'
import type { KnownPolicies } from './known-policies.ts'
import {
  findLoginRefusal,
  type JudgedAttempt,
  judgeAttempt,
  type LoginAttempt,
  loadAttempt,
  type TokenSubject,
} from './login-refusals.ts'
import { sessionRuleInTurn } from './rule-turns.ts'

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

  /** Returns the identity for the claim of an accepted token. The rule of its policy is evaluated with this budget, once for the same facts. */
  async find(signer: StoredSigner, subject: TokenSubject, now: number, budget: RuleBudget): Promise<JudgedAttempt> {
    const name = `${signer.useExternalId ? 'externalId' : 'id'} ${subject.claim}`
    const earlier = this.#known.get(name)
    const address = subject.request?.address
    const judged = await sessionRuleInTurn(earlier?.policy, { identityId: earlier?.identity.id, address }, () => {
      // It may have changed before its turn.
      const known = this.#known.get(name)
      return known && judgeAttempt({ signer, ...subject, ...known, now }, budget)
    })
    if (judged && findLoginRefusal(judged) === undefined) return judged
    const judge = async (attempt: LoginAttempt) => {
      if (judged && isJudgedAlike(judged, attempt)) return { ...attempt, ruleRefusal: judged.ruleRefusal }
      const identityId = attempt.identity?.id
      return sessionRuleInTurn(attempt.policy, { identityId, address }, () => judgeAttempt(attempt, budget))
    }
    return this.#known.load(name, () => this.#read(signer, subject, now, judge), knownIn)
  }

  async #read(
    signer: StoredSigner,
    subject: TokenSubject,
    now: number,
    judge: (attempt: LoginAttempt) => Promise<JudgedAttempt>,
  ): Promise<JudgedAttempt> {
    const attempt = await judge(await loadAttempt(this.#store.db, signer, subject, now, this.#policies))
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

/** Whether the rule of the policy sees the same in both attempts of a subject. */
function isJudgedAlike(one: LoginAttempt, other: LoginAttempt): boolean {
  return one.policy?.acceptRule === other.policy?.acceptRule && isDeepStrictEqual(one.identity, other.identity)
}

function knownIn(attempt: JudgedAttempt): Known | undefined {
  const { identity, policy } = attempt
  return identity && policy && findLoginRefusal(attempt) === undefined ? { identity, policy } : undefined
}
