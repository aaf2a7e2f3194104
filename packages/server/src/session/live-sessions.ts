import { isDeepStrictEqual } from 'node:util'
import { AppError, isLoginAllowed, SeenDigests, sessionEnd, sessionIdleMs } from '@countersign/core'
import type { Clock } from '../platform/clock.ts'
import type { StoredSession } from '../store/api-session-row.ts'
import type { StoredAuthPolicy } from '../store/auth-policy-row.ts'
import { ANY, type DependenciesOf, DependentCache } from '../store/dependent-cache.ts'
import { hasAccess, type StoredIdentity, weightOfIdentity } from '../store/identity-row.ts'
import { isOidcSessionKey, oidcSessionKey } from '../store/oidc-session-key.ts'
import { findSessionOrigin, type SessionOrigin } from '../store/reads/session-origin-reads.ts'
import { findSession } from '../store/reads/session-reads.ts'
import { EXPIRED_FOR_GOOD, isStoredSessionLive, MAX_UNWRITTEN_ACTIVITY_MS } from '../store/session-activity.ts'
import type { Store } from '../store/store.ts'
import type { KnownPolicies } from '../token/known-policies.ts'
import { sessionTokenDigest } from './session-token.ts'

/** A valid session with the current state of its identity and policy, and how it was opened. */
export interface LiveSession extends StoredSession, SessionOrigin {
  readonly identity: StoredIdentity
  readonly policy: StoredAuthPolicy
  /** Whether the OpenID provider issued its tokens. Their use does not extend it. */
  readonly isOidc?: boolean
  /** Whether the transaction that opened it recorded the event of the login for sinks. */
  readonly isLoginRecorded?: boolean
  /** The expiry that the store has. */
  storedExpiresAt: number
  /** The client of the last request, to detect a change. */
  lastAddress?: string
  lastAgent?: string | undefined
}

interface SessionUse {
  readonly id: string
  readonly identityId: string
  /** Undefined when the use does not extend the session. */
  readonly expiresAt: number | undefined
  /** Set when the use completes the session. */
  readonly updatedAt?: number
}

interface EndedSession extends Pick<SessionUse, 'id' | 'identityId'> {
  readonly storedExpiresAt: number
}

interface LiveSessionsOptions {
  readonly store: Store
  readonly clock: Clock
  readonly idleMs: number
  readonly policies: Pick<KnownPolicies, 'find'>
  /** Records the use of a session. */
  readonly extend: (session: SessionUse) => Promise<void>
  /** Stores that a session has ended. */
  readonly expire: (session: EndedSession) => Promise<void>
  /** Default 20,000. */
  readonly maxCached?: number
}

const MAX_CACHED = 20_000

const NONE: readonly string[] = []

/** The ids of the entities of each kind that a session depends on. It does not hold the id of its organization. */
export const SESSION_DEPENDENCIES: Required<DependenciesOf<LiveSession>> = {
  apiSessions: ({ id }) => [id],
  authenticators: ({ authenticatorId }) => [authenticatorId],
  // A removed passkey ends or changes the sessions that rest on it.
  passkeys: () => NONE,
  authPolicies: ({ policy }) => [policy.id],
  externalJwtSigners: ({ login, identity: { suppliedAttributes } }) => [
    ...(login.method === 'ext-jwt' ? [login.signerId] : NONE),
    ...suppliedAttributes.map(({ signerId }) => signerId),
  ],
  identities: ({ identity }) => [identity.id],
  apiAccounts: ({ login }) => (login.method === 'api-account' ? [login.accountId] : NONE),
  organizations: ({ login }) => (login.method === 'api-account' ? [ANY] : NONE),
  identityProviders: () => NONE,
  networks: () => NONE,
  accountJobs: () => NONE,
  enrollments: () => NONE,
  cas: ({ login }) => (login.method === 'cert' && login.caId !== undefined ? [login.caId] : NONE),
  oidcKeys: () => NONE,
  revocations: () => NONE,
  // A revocation of tokens ends the sessions that it concerns.
  tokenRevocations: () => NONE,
  scimTokens: () => NONE,
  // A change of members is reported as one of their identities, or of the signer.
  scimGroups: () => NONE,
  eventSinks: () => NONE,
}

/** Whether a session that was read again has the rights, and needs the second factors, that it had before. */
export function isUnchanged(session: LiveSession, current: LiveSession | undefined): boolean {
  return isDeepStrictEqual(judgedBy(session), current && judgedBy(current))
}

function judgedBy({ identity, policy, passedTotpId, passedPasskeyId }: LiveSession) {
  return { identity, policy, passedTotpId, passedPasskeyId }
}

/** Each session has the claims that rules have read, and an identity of its own. */
function weightOf({ identity, ruleClaims }: LiveSession): number {
  return weightOfIdentity(identity, ruleClaims === null ? 0 : JSON.stringify(ruleClaims).length)
}

/** Sessions by token, cached until the change log reports a change of the session or of an entity it depends on. */
export class LiveSessions {
  readonly #options: LiveSessionsOptions
  readonly #maxCached: number
  readonly #cached: DependentCache<LiveSession>
  readonly #seen = new SeenDigests()

  constructor(options: LiveSessionsOptions) {
    this.#options = options
    this.#maxCached = options.maxCached ?? MAX_CACHED
    this.#cached = new DependentCache(this.#maxCached, SESSION_DEPENDENCIES, weightOf)
    options.store.onChange((changes) => this.#cached.follow(changes))
  }

  /** The number of cached sessions. */
  get size(): number {
    return this.#cached.size
  }

  /** The valid session of a token. Counts as a use, which extends the session. */
  async find(token: string): Promise<LiveSession | undefined> {
    return this.noteUse(await this.peek(token))
  }

  /** Like `find`, without extending the session. */
  peek(token: string): Promise<LiveSession | undefined> {
    return this.#peek(sessionTokenDigest(token))
  }

  /** The valid session of the OpenID provider with this id. Counts as a use. */
  async findOidc(id: string): Promise<LiveSession | undefined> {
    return this.noteUse(await this.peekOidc(id))
  }

  /** Like `findOidc`, but does not count as a use. */
  peekOidc(id: string): Promise<LiveSession | undefined> {
    return this.#peek(oidcSessionKey(id))
  }

  /**
   * The valid session of the OpenID provider with this id, read anew. For a session without tokens: its end is set when it gets them, which no cache
   * is informed of.
   */
  async readOidc(id: string): Promise<LiveSession | undefined> {
    const { store, policies, idleMs } = this.#options
    return this.#ifValid(await loadSession(store, policies, oidcSessionKey(id), idleMs).catch(failClosed))
  }

  async #peek(digest: string): Promise<LiveSession | undefined> {
    return this.#ifValid(this.#cached.get(digest) ?? (await this.#load(digest)))
  }

  #ifValid(session: LiveSession | undefined): LiveSession | undefined {
    if (!session) return undefined
    const now = this.#options.clock.now()
    if (now < session.expiresAt) return hasAccess(session.identity, now) ? session : undefined
    this.#noteEnd(session, now)
    return undefined
  }

  /** The clock may go back before the session is deleted. Another node may know of a later use, but not for longer than it takes to write it. */
  #noteEnd(session: LiveSession, now: number): void {
    const { id, identity, storedExpiresAt } = session
    if (storedExpiresAt === EXPIRED_FOR_GOOD || isStoredSessionLive(session, now)) return
    session.storedExpiresAt = EXPIRED_FOR_GOOD
    session.expiresAt = EXPIRED_FOR_GOOD
    this.#options.expire({ id, identityId: identity.id, storedExpiresAt }).catch(() => {})
  }

  /** Notes the use of a session that `peek` or `peekOidc` has found, which extends it. */
  noteUse<Found extends LiveSession | undefined>(session: Found): Found {
    if (session) this.#noteActivity(session, this.#options.clock.now())
    return session
  }

  /**
   * Notes that a request had the second token that the policy requires. Stored once: a session that never had one makes room before others. Those of
   * the OpenID provider have it before they have tokens.
   */
  noteSecondToken(session: LiveSession): void {
    const { id, identity, createdAt, isOidc } = session
    if (isOidc || session.updatedAt > createdAt) return
    session.updatedAt = Math.max(this.#options.clock.now(), createdAt + 1)
    const use = { id, identityId: identity.id, expiresAt: undefined, updatedAt: session.updatedAt }
    this.#options.extend(use).catch(() => {
      session.updatedAt = createdAt
    })
  }

  #load(digest: string): Promise<LiveSession | undefined> {
    const { store, policies, idleMs } = this.#options
    return this.#cached.load(
      digest,
      () => loadSession(store, policies, digest, idleMs).catch(failClosed),
      (session) => (session && this.#isWorthCaching(digest) ? session : undefined),
    )
  }

  /** A full cache takes only sessions that are used again: sessions of a single request must not evict others. */
  #isWorthCaching(digest: string): boolean {
    return this.#cached.weight < this.#maxCached || this.#seen.note(digest)
  }

  #noteActivity(session: LiveSession, now: number): void {
    const idleMs = idleTimeOf(session, this.#options.idleMs)
    // Only a refresh token extends a session of the OpenID provider.
    const latest = session.isOidc ? session.storedExpiresAt : session.endsAt
    session.expiresAt = Math.min(now + idleMs, latest, session.endsAt)
    const unwrittenMs = Math.min(MAX_UNWRITTEN_ACTIVITY_MS, idleMs / 10)
    // A policy with a longer life than before extends the session although it was used recently.
    const isExtended = session.expiresAt - session.storedExpiresAt >= unwrittenMs
    if (now - session.lastActivityAt < unwrittenMs && !isExtended) return
    session.lastActivityAt = now
    const { id, identity } = session
    const expiresAt = session.isOidc ? undefined : session.expiresAt
    if (expiresAt !== undefined) session.storedExpiresAt = expiresAt
    // A use that is not recorded shortens the session by at most a minute.
    this.#options.extend({ id, identityId: identity.id, expiresAt }).catch(() => {})
  }
}

/** A session that cannot be looked up is refused, whatever the store's error. */
function failClosed(error: unknown): never {
  throw new AppError('STORE_UNAVAILABLE', undefined, { cause: error })
}

/** Undefined also when the policy no longer allows the method by which the session was opened. */
async function loadSession(
  store: Store,
  policies: Pick<KnownPolicies, 'find'>,
  digest: string,
  idleMs: number,
): Promise<LiveSession | undefined> {
  const found = await findSession(store, digest)
  if (!found) return undefined
  const { session, identity, signer } = found
  const [origin, policy] = await Promise.all([
    findSessionOrigin(store.db, { ...session, signer }, identity),
    policies.find(identity.authPolicyId),
  ])
  if (!policy || !origin || !isLoginAllowed(policy, origin.login)) return undefined
  const endsAt = Math.min(session.endsAt, origin.retiresAt ?? session.endsAt, sessionEnd(policy, session, identity))
  const isOidc = isOidcSessionKey(digest)
  const idleTime = idleTimeOf({ policy, isOidc }, idleMs)
  // A policy that has become stricter holds at once. One that allows more extends the session at its next use: an expired one stays expired.
  const expiresAt = Math.min(session.expiresAt, session.lastActivityAt + idleTime, endsAt)
  const stored = { storedExpiresAt: session.expiresAt, ...(isOidc && { isOidc }) }
  return { ...session, ...origin, identity, policy, endsAt, expiresAt, ...stored }
}

/** How long a session lasts without a request. One of the OpenID provider lasts as its tokens say, unless the policy limits it. */
function idleTimeOf({ policy, isOidc }: Pick<LiveSession, 'policy' | 'isOidc'>, idleMs: number): number {
  return sessionIdleMs(policy, isOidc ? Number.POSITIVE_INFINITY : idleMs)
}
