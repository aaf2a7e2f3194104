import { BoundedCache } from '@countersign/core'
import type { Clock } from '../clock.ts'
import { isDisabled, type StoredIdentity } from '../store/identity-row.ts'
import { findIdentity } from '../store/reads/identity-reads.ts'
import type { ApiSessionRow } from '../store/schema.ts'
import type { Store } from '../store/store.ts'
import { sessionTokenDigest } from './session-token.ts'

/** A session that is good now, with whom it belongs to as the store knows him now. */
export interface LiveSession {
  readonly id: string
  readonly identity: StoredIdentity
  readonly authenticatorId: string
  readonly ipAddress: string
  readonly configTypes: readonly string[]
  readonly createdAt: number
  readonly updatedAt: number
  readonly endsAt: number
  lastActivityAt: number
  expiresAt: number
}

interface LiveSessionsOptions {
  readonly store: Store
  readonly clock: Clock
  readonly idleMs: number
}

const MAX_REMEMBERED_SESSIONS = 20_000
/** A use is written down at most this often, so that reading stays reading. */
const MAX_UNWRITTEN_ACTIVITY_MS = 60_000

export interface LiveSessions {
  /** The session that a token stands for, if it is good now. Using it keeps it alive. */
  find(token: string): Promise<LiveSession | undefined>
}

/** Sessions by their token, remembered until the change log says that they, or whom they belong to, have changed. */
export function createLiveSessions({ store, clock, idleMs }: LiveSessionsOptions): LiveSessions {
  const remembered = new BoundedCache<string, LiveSession>(MAX_REMEMBERED_SESSIONS)
  const digestOf = new Map<string, string>()
  const unwrittenMs = Math.min(MAX_UNWRITTEN_ACTIVITY_MS, idleMs / 10)
  let generation = 0

  store.onChange((changes) => {
    if (changes !== 'everything' && changes.every(({ entity, action }) => entity === 'apiSessions' && action === 'created')) {
      return
    }
    generation++
    if (changes === 'everything' || changes.some(({ entity }) => entity !== 'apiSessions' && entity !== 'externalJwtSigners')) {
      remembered.clear()
      digestOf.clear()
      return
    }
    for (const { id } of changes) {
      const digest = digestOf.get(id)
      if (digest !== undefined) remembered.delete(digest)
      digestOf.delete(id)
    }
  })

  const load = async (digest: string): Promise<LiveSession | undefined> => {
    const before = generation
    const row = await store.db
      .selectFrom('api_sessions')
      .selectAll()
      .where('token_digest', '=', digest)
      .executeTakeFirst()
    const identity = row && (await findIdentity(store.db, row.identity_id))
    if (!row || !identity) return undefined
    const session = liveSession(row, identity)
    // What was read may have changed while it was read: then it is good for this request, but not for the next.
    if (before === generation) {
      if (digestOf.size > 2 * MAX_REMEMBERED_SESSIONS) digestOf.clear()
      remembered.set(digest, session)
      digestOf.set(session.id, digest)
    }
    return session
  }

  const noteActivity = (session: LiveSession, now: number): void => {
    if (now - session.lastActivityAt < unwrittenMs) return
    session.lastActivityAt = now
    session.expiresAt = Math.min(now + idleMs, session.endsAt)
    const meta = { actorId: session.identity.id, now }
    // A use that is not written down costs the session at most a minute of its life.
    store.write('apiSession.touch', { id: session.id, expiresAt: session.expiresAt }, meta).catch(() => {})
  }

  return {
    find: async (token) => {
      const digest = sessionTokenDigest(token)
      const session = remembered.get(digest) ?? (await load(digest))
      const now = clock.now()
      if (!session || now >= session.expiresAt || isDisabled(session.identity, now)) return undefined
      noteActivity(session, now)
      return session
    },
  }
}

function liveSession(row: ApiSessionRow, identity: StoredIdentity): LiveSession {
  return {
    id: row.id,
    identity,
    authenticatorId: row.authenticator_id,
    ipAddress: row.ip_address,
    configTypes: JSON.parse(row.config_types),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    endsAt: row.ends_at,
    lastActivityAt: row.last_activity_at,
    expiresAt: row.expires_at,
  }
}
