import type { ApiAccountPatch, ApiAccountWrite } from '@countersign/contract'
import { type AccountSettings, checkWrittenConditions, patchedAccount, replacedAccount } from '@countersign/core'
import { accountClient, accountSettings } from '../../store/hosted-rows.ts'
import type { ApiAccountRow } from '../../store/hosted-schema.ts'
import { operation } from '../../store/operation.ts'
import type { OwnedKey } from '../../store/owned-key.ts'
import { findCurrentClient } from '../../store/reads/account-client-reads.ts'
import { getAccountRow } from '../../store/reads/account-reads.ts'
import type { Transaction } from '../../store/transaction.ts'
import { refusesEarlierTokens, updateAccount } from '../../store/writes/account-writes.ts'
import { addEnableJob } from '../account-job/enable-job.ts'
import { updateAccountRights } from './account-identity.ts'
import { endAccountSessions } from './account-sessions.ts'
import { checkPatternQuota } from './check-pattern-quota.ts'
import { checkRotationPlan, nextRotation } from './rotation-plan.ts'

/** A change of an account. `confirmBroad` as for `checkWrittenConditions`. */
interface AccountChange<Body> extends OwnedKey {
  readonly body: Body
  readonly confirmBroad?: boolean
}

export const replaceApiAccount = operation({
  name: 'apiAccount.replace',
  access: { hosted: 'admin' },
  target: 'apiAccounts',
  async run(tx, { id, organizationId, body, confirmBroad }: AccountChange<ApiAccountWrite>): Promise<string[]> {
    const current = await getAccountRow(tx.db, organizationId, id)
    return changeAccount(tx, current, replacedAccount(accountSettings(current), body), confirmBroad)
  },
})

export const patchApiAccount = operation({
  name: 'apiAccount.patch',
  access: { hosted: 'admin' },
  target: 'apiAccounts',
  async run(tx, { id, organizationId, body, confirmBroad }: AccountChange<ApiAccountPatch>): Promise<string[]> {
    const current = await getAccountRow(tx.db, organizationId, id)
    return changeAccount(tx, current, patchedAccount(accountSettings(current), body), confirmBroad)
  },
})

/**
 * A new role applies to the account's sessions on this controller from their next request on. An inactive account has no sessions, also after
 * it is active again. Other conditions end its sessions: what the tokens behind them said is not stored. Returns the jobs that disable or enable its
 * client at the provider.
 */
async function changeAccount(
  tx: Transaction,
  current: ApiAccountRow,
  next: AccountSettings,
  confirmBroad = false,
): Promise<string[]> {
  const { id, organization_id: organizationId, role, kind, rotated_at: rotatedAt } = current
  const { conditions } = accountSettings(current)
  checkWrittenConditions({ kind, conditions: next.conditions, current: conditions, confirmBroad })
  await checkPatternQuota(tx, { id, organizationId, current: conditions, next: next.conditions })
  if (refusesEarlierTokens(current, next, tx.now)) await endAccountSessions(tx, id)
  if (next.role !== role) await updateAccountRights(tx, id, next.role)
  const client = await findCurrentClient(tx.db, id)
  checkRotationPlan(next, client && accountClient(client))
  await updateAccount(tx, current, next, nextRotation(next, rotatedAt))
  const isSame = next.active === Boolean(current.active)
  return isSame ? [] : addEnableJob(tx, current)
}
