import { operation } from '../../store/operation.ts'
import { lockIdentity } from '../../store/reads/lock-identity.ts'
import { setSessionExpiry } from '../../store/writes/api-session-writes.ts'

export interface ExtendSession {
  readonly id: string
  /** Undefined when the use does not extend the session. */
  readonly expiresAt: number | undefined
  /** Set when the first request with a second token was accepted: the session is complete. */
  readonly updatedAt?: number | undefined
}

/** Records the use of a session and its new expiry. */
export const extendSession = operation({
  name: 'apiSession.touch',
  access: 'none',
  needsWriteLock: false,
  locksOnlyActor: true,
  async run(tx, use: ExtendSession): Promise<void> {
    await Promise.all([lockIdentity(tx, tx.actorId), setSessionExpiry(tx, use)])
  },
})
