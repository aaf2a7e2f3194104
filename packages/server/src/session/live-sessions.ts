import { AppError, BoundedCache, isSignInAllowed, SeenBefore } from '@countersign/core'
import type { Clock } from '../platform/clock.ts'
import type { StoredSession } from '../store/api-session-row.ts'
import type { StoredAuthPolicy } from '../store/auth-policy-row.ts'
import type { Change, ChangedEntity } from '../store/change.ts'
import { isDisabled, type StoredIdentity } from '../store/identity-row.ts'
import { findSession } from '../store/reads/session-reads.ts'
import { MAX_UNWRITTEN_ACTIVITY_MS } from '../store/session-activity.ts'
import type { Store } from '../store/store.ts'
import type { FindPolicy } from '../token/known-policies.ts'
import { findSessionOrigin, type SessionOrigin } from './session-origin.ts'
import { sessionTokenDigest } from './session-token.ts'

/** A session that is good now, with whom it belongs to and how he signed in, as the store knows it now. */
export interface LiveSession extends StoredSession, SessionOrigin {
  readonly identity: StoredIdentity
  readonly policy: StoredAuthPolicy
  /** The client that used it last, for telling when it changes. */
  lastAddress?: string
  lastAgent?: string | undefined
}

interface LiveSessionsOptions {
  readonly store: Store
  readonly clock: Clock
  readonly idleMs: number
  readonly findPolicy: FindPolicy
  /** Writes down that a session was used. */
  readonly extend: (session: {
    readonly id: string
    readonly identityId: string
    readonly expiresAt: number
  }) => Promise<void>
  /** How many are remembered. */
  readonly maxRemembered?: number
}

const MAX_REMEMBERED = 20_000

/** Whichever of its kind it is: sessions do not say which one they hang on. */
const ANY = '*'

/** Which entity of a kind a session hangs on. */
const HANGS_ON: Readonly<Record<ChangedEntity, (session: LiveSession) => string | undefined>> = {
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

/** No session hangs on what is new, or on what somebody may enroll with. */
const isRelevant = ({ entity, action }: Change): boolean => action !== 'created' && entity !== 'enrollments'

export interface LiveSessions {
  /** The session that a token stands for, if it is good now. Using it keeps it alive. */
  find(token: string): Promise<LiveSession | undefined>
  /** The same without using it. */
  look(token: string): Promise<LiveSession | undefined>
  /** How many are remembered. */
  readonly size: number
}

/** Sessions by their token, remembered until the change log says that they, or what they hang on, have changed. */
export function createLiveSessions({
  store,
  clock,
  idleMs,
  findPolicy,
  extend,
  maxRemembered = MAX_REMEMBERED,
}: LiveSessionsOptions): LiveSessions {
  const remembered = new BoundedCache<string, LiveSession>(maxRemembered)
  const digestOf = new Map<string, string>()
  const seen = new SeenBefore()
  const unwrittenMs = Math.min(MAX_UNWRITTEN_ACTIVITY_MS, idleMs / 10)
  let generation = 0

  const forget = (sessionId: string): void => {
    const digest = digestOf.get(sessionId)
    if (digest !== undefined) remembered.delete(digest)
    digestOf.delete(sessionId)
  }

  const forgetDigestsOfForgotten = (): void => {
    for (const [id, digest] of digestOf) if (remembered.peek(digest) === undefined) digestOf.delete(id)
  }

  const forgetAll = (): void => {
    remembered.clear()
    digestOf.clear()
  }

  store.onChange((changes) => {
    const relevant = changes === 'everything' ? changes : changes.filter(isRelevant)
    if (relevant.length === 0) return
    generation++
    if (relevant === 'everything') return forgetAll()
    for (const { entity, id } of relevant) if (entity === 'apiSessions') forget(id)
    const others = relevant.filter(({ entity }) => entity !== 'apiSessions')
    if (others.length === 0) return
    const affected = [...remembered.values()].filter((session) => others.some((change) => concerns(change, session)))
    for (const { id } of affected) forget(id)
  })

  /** Once others would be forgotten for it, only what is used again: sessions of one call must not push out those of many. */
  const isWorthRemembering = (digest: string): boolean => remembered.size < maxRemembered || seen.note(digest)

  const load = async (digest: string): Promise<LiveSession | undefined> => {
    const before = generation
    const session = await loadSession(store, findPolicy, digest).catch(failClosed)
    // What was read may have changed while it was read: then it is good for this request, but not for the next.
    if (session && before === generation && isWorthRemembering(digest)) {
      if (digestOf.size >= 2 * maxRemembered) forgetDigestsOfForgotten()
      remembered.set(digest, session)
      digestOf.set(session.id, digest)
    }
    return session
  }

  const noteActivity = (session: LiveSession, now: number): void => {
    session.expiresAt = Math.min(now + idleMs, session.endsAt)
    if (now - session.lastActivityAt < unwrittenMs) return
    session.lastActivityAt = now
    // A use that is not written down costs the session at most a minute of its life.
    extend({ id: session.id, identityId: session.identity.id, expiresAt: session.expiresAt }).catch(() => {})
  }

  const look = async (token: string): Promise<LiveSession | undefined> => {
    const digest = sessionTokenDigest(token)
    const session = remembered.get(digest) ?? (await load(digest))
    const now = clock.now()
    return session && now < session.expiresAt && !isDisabled(session.identity, now) ? session : undefined
  }

  return {
    find: async (token) => {
      const session = await look(token)
      if (session) noteActivity(session, clock.now())
      return session
    },
    look,
    get size() {
      return remembered.size
    },
  }
}

function concerns({ entity, id }: Change, session: LiveSession): boolean {
  const hangsOn = HANGS_ON[entity](session)
  return hangsOn === id || hangsOn === ANY
}

/** A session that cannot be looked up is nobody's, whatever the store's trouble is. */
function failClosed(error: unknown): never {
  throw new AppError('STORE_UNAVAILABLE', undefined, { cause: error })
}

/** Undefined also where the policy no longer lets its identities in by the way that this session was opened. */
async function loadSession(store: Store, findPolicy: FindPolicy, digest: string): Promise<LiveSession | undefined> {
  const found = await findSession(store, digest)
  if (!found) return undefined
  const { session, identity } = found
  const [origin, policy] = await Promise.all([
    findSessionOrigin(store.db, session.authenticatorId, identity),
    findPolicy(identity.authPolicyId),
  ])
  if (!policy || !origin || !isSignInAllowed(policy, origin.way)) return undefined
  return { ...session, ...origin, identity, policy }
}
