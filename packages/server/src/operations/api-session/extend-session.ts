import { operation } from '../../store/operation.ts'
import { lockIdentity } from '../../store/reads/lock-identity.ts'
import { setSessionExpired, setSessionExpiry } from '../../store/writes/api-session-writes.ts'

export interface ExtendSession {
  readonly id: string
  /** Undefined when the use does not extend the session. */
  readonly expiresAt: number | undefined
}

/** Records the use of a session and its new expiry. */
export const extendSession = operation({
  name: 'apiSession.touch',
  access: 'none',
  needsWriteLock: false,
  locksOnlyActor: true,
  async run(tx, { id, expiresAt }: ExtendSession): Promise<void> {
    await Promise.all([lockIdentity(tx, tx.actorId), setSessionExpiry(tx, id, expiresAt)])
  },
})

export interface ExpireSession {
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
