import type { ApiAccountPatch, ApiAccountWrite } from '@countersign/contract'
import { type AccountSettings, patchedAccount, replacedAccount } from '@countersign/core'
import { accountSettings } from '../../store/hosted-rows.ts'
import type { ApiAccountRow } from '../../store/hosted-schema.ts'
import { operation } from '../../store/operation.ts'
import type { OwnedKey } from '../../store/owned-key.ts'
import { getAccountRow } from '../../store/reads/account-reads.ts'
import type { Transaction } from '../../store/transaction.ts'
import { updateAccount } from '../../store/writes/account-writes.ts'
import { updateAccountRights } from './account-identity.ts'
import { endAccountSessions } from './account-sessions.ts'

export const replaceApiAccount = operation({
  name: 'apiAccount.replace',
  access: { hosted: 'admin' },
  target: 'apiAccounts',
  async run(tx, { id, organizationId, body }: OwnedKey & { readonly body: ApiAccountWrite }): Promise<void> {
    const current = await getAccountRow(tx.db, organizationId, id)
    await changeAccount(tx, current, replacedAccount(accountSettings(current), body))
  },
})

export const patchApiAccount = operation({
  name: 'apiAccount.patch',
  access: { hosted: 'admin' },
  target: 'apiAccounts',
  async run(tx, { id, organizationId, body }: OwnedKey & { readonly body: ApiAccountPatch }): Promise<void> {
    const current = await getAccountRow(tx.db, organizationId, id)
    await changeAccount(tx, current, patchedAccount(accountSettings(current), body))
  },
})

/**
 * A new role applies to the account's sessions on this controller from their next request on. An inactive account has no sessions, also after
 * it is active again.
 */
async function changeAccount(tx: Transaction, { id, role }: ApiAccountRow, next: AccountSettings): Promise<void> {
  if (!next.active) await endAccountSessions(tx, id)
  if (next.role !== role) await updateAccountRights(tx, id, next.role)
  await updateAccount(tx, id, next)
}
