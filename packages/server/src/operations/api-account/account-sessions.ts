import { accountIdentityId } from '@countersign/core'
import { operation } from '../../store/operation.ts'
import type { Transaction } from '../../store/transaction.ts'
import { endSessions } from '../../store/writes/end-sessions.ts'

export interface EndOldSessions {
  readonly accountId: string
  readonly openedBefore: number
}

/** Ends the sessions that a retired client may have opened; the account opens new ones with its current client. */
export const endOldSessions = operation({
  name: 'apiAccount.endOldSessions',
  access: 'none',
  async run(tx, { accountId, openedBefore }: EndOldSessions): Promise<void> {
    await endSessions(tx, { identityId: accountIdentityId(accountId), openedBefore })
  },
})

/** Ends every session of an account on this controller. */
export async function endAccountSessions(tx: Transaction, accountId: string): Promise<void> {
  await endSessions(tx, { identityId: accountIdentityId(accountId) })
}
