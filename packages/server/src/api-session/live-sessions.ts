import { AppError, BoundedCache, isSignInAllowed } from '@countersign/core'
import type { Clock } from '../clock.ts'
import type { FindPolicy } from '../sign-in/known-policies.ts'
import type { StoredAuthPolicy } from '../store/auth-policy-row.ts'
import type { Change, ChangedEntity } from '../store/change.ts'
import { isDisabled, type StoredIdentity } from '../store/identity-row.ts'
import { prepared } from '../store/prepared.ts'
import { findIdentity } from '../store/reads/identity-reads.ts'
import type { ApiSessionRow } from '../store/schema.ts'
import { MAX_UNWRITTEN_ACTIVITY_MS } from '../store/session-activity.ts'
import type { Store } from '../store/store.ts'
import { sessionTokenDigest } from './session-token.ts'
import { findSessionOrigin, type SessionOrigin } from './sign-in-way.ts'

/** A session that is good now, with whom it belongs to and how he signed in, as the store knows it now. */
export interface LiveSession extends SessionOrigin {
  readonly id: string
  readonly identity: StoredIdentity
  readonly policy: StoredAuthPolicy
  readonly authenticatorId: string
  readonly ipAddress: string
  readonly configTypes: readonly string[]
  readonly createdAt: number
  readonly updatedAt: number
  readonly endsAt: number
  /** The enrollment of one-time codes that a code was shown of. */
  readonly passedTotpId: string | null
  /** The last use that is written down. */
  lastActivityAt: number
  expiresAt: number
  /** The client that used it last, for telling when it changes. */
  lastAddress?: string
  lastAgent?: string | undefined
}

interface LiveSessionsOptions {
  readonly store: Store
  readonly clock: Clock
  readonly idleMs: number
  readonly findPolicy: FindPolicy
}

const MAX_REMEMBERED_SESSIONS = 20_000

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
export function createLiveSessions({ store, clock, idleMs, findPolicy }: LiveSessionsOptions): LiveSessions {
  const remembered = new BoundedCache<string, LiveSession>(MAX_REMEMBERED_SESSIONS)
  const digestOf = new Map<string, string>()
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

  const load = async (digest: string): Promise<LiveSession | undefined> => {
    const before = generation
    const session = await loadSession(store, findPolicy, digest).catch(failClosed)
    // What was read may have changed while it was read: then it is good for this request, but not for the next.
    if (session && before === generation) {
      if (digestOf.size >= 2 * MAX_REMEMBERED_SESSIONS) forgetDigestsOfForgotten()
      remembered.set(digest, session)
      digestOf.set(session.id, digest)
    }
    return session
  }

  const noteActivity = (session: LiveSession, now: number): void => {
    session.expiresAt = Math.min(now + idleMs, session.endsAt)
    if (now - session.lastActivityAt < unwrittenMs) return
    session.lastActivityAt = now
    const meta = { actorId: session.identity.id, now }
    // A use that is not written down costs the session at most a minute of its life.
    store.write('apiSession.touch', { id: session.id, expiresAt: session.expiresAt }, meta).catch(() => {})
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

const sessionByDigest = prepared(1, (db, digest: string) =>
  db.selectFrom('api_sessions').selectAll().where('token_digest', '=', digest),
)

/** Undefined also where the policy no longer lets its identities in by the way that this session was opened. */
async function loadSession({ db }: Store, findPolicy: FindPolicy, digest: string): Promise<LiveSession | undefined> {
  const [row] = await sessionByDigest(db, digest)
  if (!row) return undefined
  const [identity, origin] = await Promise.all([
    findIdentity(db, row.identity_id),
    findSessionOrigin(db, row.authenticator_id),
  ])
  const policy = identity && (await findPolicy(identity.authPolicyId))
  if (!policy || !origin || !isSignInAllowed(policy, origin.way)) return undefined
  return liveSession(row, { identity, policy, ...origin })
}

function liveSession(
  row: ApiSessionRow,
  of: Pick<LiveSession, 'identity' | 'policy' | keyof SessionOrigin>,
): LiveSession {
  return {
    id: row.id,
    ...of,
    authenticatorId: row.authenticator_id,
    ipAddress: row.ip_address,
    configTypes: JSON.parse(row.config_types),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    endsAt: row.ends_at,
    passedTotpId: row.passed_totp_id,
    lastActivityAt: row.last_activity_at,
    expiresAt: row.expires_at,
  }
}
