import { operation } from '../../store/operation.ts'
import { findIdentitiesToExpire } from '../../store/reads/identity-access-reads.ts'
import { endSessions } from '../../store/writes/end-sessions.ts'
import { setExpired } from '../../store/writes/identity-writes.ts'

const BATCH = 100

/**
 * Ends the access of identities whose `expiresAt` has passed: records it, so that a clock that goes back does not give access again, and ends
 * their sessions. Returns whether there may be more.
 */
export const expireIdentities = operation({
  name: 'identity.expire',
  access: 'none',
  async run(tx): Promise<boolean> {
    const ids = await findIdentitiesToExpire(tx, tx.now, BATCH)
    for (const id of ids) {
      await setExpired(tx, id)
      await endSessions(tx, { identityId: id })
    }
    return ids.length === BATCH
  },
})
