import { AppError, BoundedCache, isLoginAllowed, SeenBefore } from '@countersign/core'
import type { Clock } from '../platform/clock.ts'
import type { StoredSession } from '../store/api-session-row.ts'
import type { StoredAuthPolicy } from '../store/auth-policy-row.ts'
import type { Change, ChangedEntity } from '../store/change.ts'
import { isDisabled, type StoredIdentity } from '../store/identity-row.ts'
import { findSession } from '../store/reads/session-reads.ts'
import { MAX_UNWRITTEN_ACTIVITY_MS } from '../store/session-activity.ts'
import type { Store } from '../store/store.ts'
import type { KnownPolicies } from '../token/known-policies.ts'
import { findSessionOrigin, type SessionOrigin } from './session-origin.ts'
import { sessionTokenDigest } from './session-token.ts'

/** A session that is good now, with its identity and how it was opened, as the store has them now. */
export interface LiveSession extends StoredSession, SessionOrigin {
  readonly identity: StoredIdentity
  readonly policy: StoredAuthPolicy
  /** The client that used it last, to notice when it changes. */
  lastAddress?: string
  lastAgent?: string | undefined
}

/** A use of a session that is to be written down. */
interface SessionUse {
  readonly id: string
  readonly identityId: string
  readonly expiresAt: number
}

interface LiveSessionsOptions {
  readonly store: Store
  readonly clock: Clock
  readonly idleMs: number
  readonly policies: Pick<KnownPolicies, 'find'>
  /** Writes down that a session was used. */
  readonly extend: (session: SessionUse) => Promise<void>
  /** How many are remembered. */
  readonly maxRemembered?: number
}

const MAX_REMEMBERED = 20_000

/** Any entity of its kind: sessions do not say which one they rest on. */
const ANY = '*'

/** The entity of each kind that a session rests on. */
const RESTS_ON: Readonly<Record<ChangedEntity, (session: LiveSession) => string | undefined>> = {
  apiSessions: ({ id }) => id,
  authenticators: ({ authenticatorId }) => authenticatorId,
  authPolicies: ({ policy }) => policy.id,
  externalJwtSigners: ({ way }) => (way.method === 'ext-jwt' ? way.signerId : undefined),
  identities: ({ identity }) => identity.id,
  apiAccounts: ({ way }) => (way.method === 'api-account' ? way.accountId : undefined),
  organizations: ({ way }) => (way.method === 'api-account' ? ANY : undefined),
  identityProviders: () => undefined,
  networks: () => undefined,
  enrollments: () => undefined,
}

/** No session rests on a new entity, or on an enrollment. */
const isRelevant = ({ entity, action }: Change): boolean => action !== 'created' && entity !== 'enrollments'

/** Sessions by their token, cached until the change log reports that they, or what they rest on, have changed. */
export class LiveSessions {
  readonly #options: LiveSessionsOptions
  readonly #maxRemembered: number
  readonly #remembered: BoundedCache<string, LiveSession>
  readonly #digestOf = new Map<string, string>()
  readonly #seen = new SeenBefore()
  readonly #unwrittenMs: number
  #generation = 0

  constructor(options: LiveSessionsOptions) {
    this.#options = options
    this.#maxRemembered = options.maxRemembered ?? MAX_REMEMBERED
    this.#remembered = new BoundedCache(this.#maxRemembered)
    this.#unwrittenMs = Math.min(MAX_UNWRITTEN_ACTIVITY_MS, options.idleMs / 10)
    options.store.onChange((changes) => this.#follow(changes))
  }

  /** How many are cached. */
  get size(): number {
    return this.#remembered.size
  }

  /** The session that a token stands for, if it is good now. Using it keeps it alive. */
  async find(token: string): Promise<LiveSession | undefined> {
    const session = await this.look(token)
    if (session) this.#noteActivity(session, this.#options.clock.now())
    return session
  }

  /** The same without using it. */
  async look(token: string): Promise<LiveSession | undefined> {
    const digest = sessionTokenDigest(token)
    const session = this.#remembered.get(digest) ?? (await this.#load(digest))
    const now = this.#options.clock.now()
    return session && now < session.expiresAt && !isDisabled(session.identity, now) ? session : undefined
  }

  async #load(digest: string): Promise<LiveSession | undefined> {
    const { store, policies } = this.#options
    const before = this.#generation
    const session = await loadSession(store, policies, digest).catch(failClosed)
    // It may have changed while it was read: then it is good for this request, but not for the next.
    if (session && before === this.#generation && this.#isWorthRemembering(digest)) {
      if (this.#digestOf.size >= 2 * this.#maxRemembered) this.#forgetDigestsOfForgotten()
      this.#remembered.set(digest, session)
      this.#digestOf.set(session.id, digest)
    }
    return session
  }

  /** When the cache is full, only what is used again: sessions of one call must not push out those of many. */
  #isWorthRemembering(digest: string): boolean {
    return this.#remembered.size < this.#maxRemembered || this.#seen.note(digest)
  }

  #noteActivity(session: LiveSession, now: number): void {
    session.expiresAt = Math.min(now + this.#options.idleMs, session.endsAt)
    if (now - session.lastActivityAt < this.#unwrittenMs) return
    session.lastActivityAt = now
    const { id, identity, expiresAt } = session
    // A use that is not written down costs the session at most a minute of its life.
    this.#options.extend({ id, identityId: identity.id, expiresAt }).catch(() => {})
  }

  #follow(changes: readonly Change[] | 'everything'): void {
    const relevant = changes === 'everything' ? changes : changes.filter(isRelevant)
    if (relevant.length === 0) return
    this.#generation++
    if (relevant === 'everything') {
      this.#forgetAll()
      return
    }
    for (const { entity, id } of relevant) if (entity === 'apiSessions') this.#forget(id)
    const others = relevant.filter(({ entity }) => entity !== 'apiSessions')
    if (others.length === 0) return
    const affected = [...this.#remembered.values()].filter((session) =>
      others.some((change) => concerns(change, session)),
    )
    for (const { id } of affected) this.#forget(id)
  }

  #forget(sessionId: string): void {
    const digest = this.#digestOf.get(sessionId)
    if (digest !== undefined) this.#remembered.delete(digest)
    this.#digestOf.delete(sessionId)
  }

  #forgetDigestsOfForgotten(): void {
    for (const [id, digest] of this.#digestOf)
      if (this.#remembered.peek(digest) === undefined) this.#digestOf.delete(id)
  }

  #forgetAll(): void {
    this.#remembered.clear()
    this.#digestOf.clear()
  }
}

function concerns({ entity, id }: Change, session: LiveSession): boolean {
  const restsOn = RESTS_ON[entity](session)
  return restsOn === id || restsOn === ANY
}

/** A session that cannot be looked up is refused, whatever is wrong with the store. */
function failClosed(error: unknown): never {
  throw new AppError('STORE_UNAVAILABLE', undefined, { cause: error })
}

/** Undefined also where the policy no longer allows the method that this session was opened with. */
async function loadSession(
  store: Store,
  policies: Pick<KnownPolicies, 'find'>,
  digest: string,
): Promise<LiveSession | undefined> {
  const found = await findSession(store, digest)
  if (!found) return undefined
  const { session, identity } = found
  const [origin, policy] = await Promise.all([
    findSessionOrigin(store.db, session.authenticatorId, identity),
    policies.find(identity.authPolicyId),
  ])
  if (!policy || !origin || !isLoginAllowed(policy, origin.way)) return undefined
  return { ...session, ...origin, identity, policy }
}
