import { AppError } from '@countersign/core'
import { operation } from '../../store/operation.ts'
import { lockIdentity } from '../../store/reads/lock-identity.ts'
import { findSessionOwner } from '../../store/reads/session-reads.ts'
import { MAX_UNWRITTEN_ACTIVITY_MS } from '../../store/session-activity.ts'
import { setSessionExpired } from '../../store/writes/api-session-writes.ts'
import { deleteExpired, deleteSessions, endSessions } from '../../store/writes/end-sessions.ts'
import { authorizeIdentityChange } from '../identity/authorize-identity-change.ts'

const ACCESS = { entity: 'ops', action: 'delete' } as const

/** Ends a session of any identity that the actor may change. Returns whether it was live. */
export const endSession = operation({
  name: 'apiSession.delete',
  access: ACCESS,
  recordsSessions: true,
  async run(tx, { id }: { readonly id: string }): Promise<boolean> {
    const session = await findSessionOwner(tx.db, id)
    if (!session) return false
    await authorizeIdentityChange(tx, session.identity_id)
    await deleteSessions(tx, [session])
    return session.expires_at > tx.now
  },
})

/** Ends one of the actor's own sessions. */
export const endOwnSession = operation({
  name: 'apiSession.deleteOwn',
  access: 'none',
  needsWriteLock: false,
  locksOnlyActor: true,
  async run(tx, { id }: { readonly id: string }): Promise<void> {
    const [, session] = await Promise.all([lockIdentity(tx, tx.actorId), findSessionOwner(tx.db, id)])
    if (!session) return
    if (session.identity_id !== tx.actorId) throw new AppError('UNAUTHORIZED')
    await deleteSessions(tx, [session])
  },
})

/** Ends all sessions that an identity has now. */
export const endSessionsOf = operation({
  name: 'apiSession.deleteAllOf',
  access: ACCESS,
  recordsSessions: true,
  async run(tx, { identityId }: { readonly identityId: string }): Promise<void> {
    await authorizeIdentityChange(tx, identityId)
    await endSessions(tx, { identityId })
  },
})

interface ExpireSession {
  readonly id: string
  /** The expiry that the session was found with. */
  readonly storedExpiresAt: number
}

/** Stores that a session has ended, so that it stays so when the clock goes back. Does nothing when the session was used meanwhile. */
export const expireSession = operation({
  name: 'apiSession.expire',
  access: 'none',
  needsWriteLock: false,
  locksOnlyActor: true,
  async run(tx, { id, storedExpiresAt }: ExpireSession): Promise<void> {
    await Promise.all([lockIdentity(tx, tx.actorId), setSessionExpired(tx, id, storedExpiresAt)])
  },
})

const EXPIRED_BATCH = 500

/** Deletes sessions that have expired even if their latest use is not written yet. Returns whether there may be more. */
export const deleteExpiredSessions = operation({
  name: 'apiSession.deleteExpired',
  access: 'none',
  needsWriteLock: false,
  async run(tx): Promise<boolean> {
    return (await deleteExpired(tx, tx.now - MAX_UNWRITTEN_ACTIVITY_MS, EXPIRED_BATCH)) === EXPIRED_BATCH
  },
})
