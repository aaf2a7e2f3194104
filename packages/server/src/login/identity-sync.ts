import {
  attributesSuppliedBy,
  createLruCache,
  planTokenSync,
  type RevocableToken,
  revocableToken,
  type SyncWarning,
  type TokenSync,
  type VerifiedToken,
} from '@countersign/core'
import type { EventHub } from '../events/event-hub.ts'
import { identityChangedEvent, identitySyncWarning } from '../events/identity-sync-event.ts'
import type { AttemptLimits } from '../limits/attempt-limits.ts'
import { limitUntrusted } from '../limits/limit-untrusted.ts'
import { syncIdentity } from '../operations/identity/sync-identity.ts'
import { type CredentialUses, usesOf } from '../operations/possession/use-credentials.ts'
import type { Clock } from '../platform/clock.ts'
import { SYSTEM_ACTOR } from '../store/actor.ts'
import type { StoredIdentity } from '../store/identity-row.ts'
import { findIdentity } from '../store/reads/identity-reads.ts'
import type { StoredSigner } from '../store/signer-row.ts'
import type { Store } from '../store/store.ts'

/** What a token changes, and the token. */
interface AcceptedSync extends TokenSync {
  readonly token: RevocableToken
  readonly uses: CredentialUses | undefined
}

interface IdentitySyncParts {
  readonly store: Pick<Store, 'db' | 'run'>
  readonly clock: Clock
  readonly events: Pick<EventHub, 'publish'>
  readonly limits: Pick<AttemptLimits, 'change'>
}

const MAX_WARNED = 10_000
/** A second factor comes with every call: its warnings are published at most this often. */
const WARN_EVERY_MS = 60_000

/** Keeps the attributes and the name of identities as the tokens of their signers say, where a signer has `attributeSync` or `nameSync`. */
export class IdentitySync {
  readonly #parts: IdentitySyncParts
  readonly #warnedAt = createLruCache<string, number>(MAX_WARNED)

  constructor(parts: IdentitySyncParts) {
    this.#parts = parts
  }

  /**
   * Applies an accepted token to its identity and returns the identity as it is then. Set `isRepeated` for a token that comes with every
   * call.
   */
  async apply(
    signer: StoredSigner,
    token: Pick<VerifiedToken, 'claims' | 'identityClaim' | 'ruleAttributes' | 'proofUse' | 'tokenUse'>,
    identity: StoredIdentity,
    { isRepeated = false } = {},
  ): Promise<StoredIdentity> {
    const plan = planTokenSync(signer, token, identity)
    if (!plan) return identity
    for (const warning of plan.warnings) this.#warn(signer, identity, warning, isRepeated)
    if (plan.attributes === undefined && plan.name === undefined) return identity
    return this.#write(signer, identity, { ...plan, token: revocableToken(token), uses: usesOf(token) })
  }

  async #write(signer: StoredSigner, identity: StoredIdentity, plan: AcceptedSync): Promise<StoredIdentity> {
    const { store, clock, events, limits } = this.#parts
    const { id } = identity
    const { attributes, name, issuedAt, token, uses } = plan
    const verifiedBy = { signerId: signer.id, signerRevision: signer.revision }
    const args = { id, ...verifiedBy, attributes, name, issuedAt, token, uses }
    const sync = (countedAs?: string) =>
      store.run(syncIdentity, args, { actorId: SYSTEM_ACTOR.id, now: clock.now(), countedAs })
    const isChanged = signer.trust.isTrusted
      ? await this.#limitByIdentity(id, sync)
      : await limitUntrusted(limits, signer, sync)
    const current = (await findIdentity(store.db, id)) ?? identity
    if (!isChanged) return current
    const before = attributesSuppliedBy(identity, signer.id, 'token')
    const after = attributesSuppliedBy(current, signer.id, 'token')
    const added = after.filter((attribute) => !before.includes(attribute))
    const removed = before.filter((attribute) => !after.includes(attribute))
    events.publish(identityChangedEvent({ signerId: signer.id, identity: current, added, removed }))
    return current
  }

  /** A person can have two tokens of the same second that say different things, and alternate them. */
  async #limitByIdentity(id: string, sync: (countedAs: string) => Promise<boolean>): Promise<boolean> {
    const countedAs = `${id} tokens`
    const attempt = this.#parts.limits.change.begin(countedAs)
    const isChanged = await sync(countedAs)
    if (!isChanged) attempt.giveBack()
    return isChanged
  }

  #warn(signer: StoredSigner, identity: StoredIdentity, warning: SyncWarning, isRepeated: boolean): void {
    const now = this.#parts.clock.now()
    const key = JSON.stringify([signer.id, identity.id, warning.problem])
    const warnedAt = this.#warnedAt.get(key) ?? Number.NEGATIVE_INFINITY
    if (isRepeated && now - warnedAt < WARN_EVERY_MS) return
    this.#warnedAt.set(key, now)
    this.#parts.events.publish(identitySyncWarning(warning, { signerId: signer.id, identity }))
  }
}
