import { operation } from '../../store/operation.ts'
import { findAccountsToExpire } from '../../store/reads/expired-account-reads.ts'
import { setAccountExpired } from '../../store/writes/account-writes.ts'
import { endAccountSessions } from './account-sessions.ts'

const BATCH = 100

/**
 * Ends the access of API accounts whose `expiresAt` has passed: records it, so that a clock that goes back does not give access again, and ends their
 * sessions. Returns whether there may be more.
 */
export const expireAccounts = operation({
  name: 'apiAccount.expire',
  access: 'none',
  async run(tx): Promise<boolean> {
    const accounts = await findAccountsToExpire(tx, tx.now, BATCH)
    for (const account of accounts) {
      await setAccountExpired(tx, account)
      await endAccountSessions(tx, account.id)
    }
    return accounts.length === BATCH
  },
})
