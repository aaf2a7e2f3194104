import { randomUUID } from 'node:crypto'
import { accountClient } from '../../store/hosted-rows.ts'
import { operation } from '../../store/operation.ts'
import type { OwnedKey } from '../../store/owned-key.ts'
import { listClients } from '../../store/reads/account-client-reads.ts'
import { getAccountRow } from '../../store/reads/account-reads.ts'
import { deleteJobsOfAccount, insertJob } from '../../store/writes/account-job-writes.ts'
import { deleteAccount } from '../../store/writes/account-writes.ts'
import { JOB_LEASE_MS } from '../account-job/job-time.ts'
import { deleteAccountIdentity } from './account-identity.ts'

/**
 * Deletes an account with its clients, its identity on this controller and the identity's sessions. Returns the jobs that remove the clients at the
 * provider.
 */
export const deleteApiAccount = operation({
  name: 'apiAccount.delete',
  access: { hosted: 'admin' },
  target: 'apiAccounts',
  async run(tx, { id, organizationId }: OwnedKey): Promise<string[]> {
    const account = await getAccountRow(tx.db, organizationId, id)
    const clients = (await listClients(tx.db, id)).map(accountClient).filter(({ administeredBy }) => administeredBy)
    await deleteJobsOfAccount(tx, id)
    const jobs = clients.map((client) => ({
      id: randomUUID(),
      organizationId,
      identityProviderId: account.identity_provider_id,
      accountId: id,
      accountName: account.name,
      kind: 'remove' as const,
      state: 'pending' as const,
      client,
      dueAt: tx.now + JOB_LEASE_MS,
    }))
    for (const job of jobs) await insertJob(tx, job)
    await deleteAccountIdentity(tx, id)
    await deleteAccount(tx, id)
    return jobs.map((job) => job.id)
  },
})
