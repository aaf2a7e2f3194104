import { type AccountSettings, checkQuota, checkWrittenConditions } from '@countersign/core'
import { operation } from '../../store/operation.ts'
import { countAccounts, getAccountRow, isAccountName } from '../../store/reads/account-reads.ts'
import { getProvider } from '../../store/reads/provider-reads.ts'
import { loadQuotas } from '../../store/reads/quota-reads.ts'
import type { Transaction } from '../../store/transaction.ts'
import { duplicateError } from '../../store/unique-violation.ts'
import type { AccountClient } from '../../store/writes/account-client-writes.ts'
import { type AccountOwners, insertAccount } from '../../store/writes/account-writes.ts'
import { addEnableJob } from '../account-job/enable-job.ts'
import { finishJob } from '../account-job/finish-job.ts'
import { checkTargetOrganization } from '../organization/target-organization.ts'
import { addClient } from './account-clients.ts'
import { checkPatternQuota } from './check-pattern-quota.ts'
import type { ClientBinding } from './client-binding.ts'
import { checkRotationPlan, nextRotation } from './rotation-plan.ts'

export interface NewApiAccount extends AccountOwners {
  readonly settings: AccountSettings
  /** The client, and why the account may have it. A federated account has none. */
  readonly client?: AccountClient
  readonly binding?: ClientBinding
  /** As for `checkWrittenConditions`. */
  readonly confirmBroad?: boolean
  /** The job that created the client at the provider. */
  readonly jobId?: string | undefined
}

/** Returns the jobs that disable the client of an inactive account at the provider. */
export const createApiAccount = operation({
  name: 'apiAccount.create',
  access: { hosted: 'admin' },
  async run(
    tx,
    { settings, client, binding, confirmBroad = false, jobId, ...owners }: NewApiAccount,
  ): Promise<string[]> {
    await finishJob(tx, jobId)
    const { id, organizationId, identityProviderId, kind = 'client' } = owners
    checkWrittenConditions({ kind, conditions: settings.conditions, current: null, confirmBroad })
    await checkTargetOrganization(tx, organizationId)
    await checkNewAccount(tx, organizationId, settings)
    await checkPatternQuota(tx, { id, organizationId, current: null, next: settings.conditions })
    const provider = await getProvider(tx.db, organizationId, identityProviderId)
    checkRotationPlan(settings, client)
    await insertAccount(tx, owners, settings, nextRotation(settings, tx.now))
    if (client && binding) await addClient(tx, { accountId: id, provider }, client, binding)
    return settings.active ? [] : addEnableJob(tx, await getAccountRow(tx.db, organizationId, id))
  },
})

/** Refuses an account whose name is taken, and one over the quota. Called before a client is registered for the account, and again in the transaction. */
export async function checkNewAccount(
  { db }: Pick<Transaction, 'db'>,
  organizationId: string,
  { name }: AccountSettings,
): Promise<void> {
  const quotas = await loadQuotas(db, organizationId)
  checkQuota('accounts', await countAccounts(db, organizationId, quotas.accounts), quotas)
  if (await isAccountName(db, organizationId, name)) throw duplicateError('api_accounts_name', { name })
}
