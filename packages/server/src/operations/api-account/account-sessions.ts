import { accountIdentityId } from '@countersign/core'
import { operation } from '../../store/operation.ts'
import { findLastRetirement } from '../../store/reads/retired-client-reads.ts'
import type { Transaction } from '../../store/transaction.ts'
import { finishRetirement } from '../../store/writes/account-client-writes.ts'
import { endSessions } from '../../store/writes/end-sessions.ts'

/** Ends the sessions that retired clients may have opened; the account opens new ones with its current client. */
export const endOldSessions = operation({
  name: 'apiAccount.endOldSessions',
  access: 'none',
  async run(tx, { accountId }: { readonly accountId: string }): Promise<void> {
    const openedBefore = await findLastRetirement(tx.db, accountId, tx.now)
    if (openedBefore === undefined) return
    await endSessions(tx, { identityId: accountIdentityId(accountId), openedBefore })
    await finishRetirement(tx, accountId, openedBefore)
  },
})

/** Ends every session of an account on this controller. */
export async function endAccountSessions(tx: Transaction, accountId: string): Promise<void> {
  await endSessions(tx, { identityId: accountIdentityId(accountId) })
}
