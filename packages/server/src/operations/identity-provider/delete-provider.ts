import { AppError } from '@countersign/core'
import { operation } from '../../store/operation.ts'
import type { OwnedKey } from '../../store/owned-key.ts'
import { findOpenJobOfProvider } from '../../store/reads/account-job-reads.ts'
import { findAccountOfProvider } from '../../store/reads/account-reads.ts'
import { getProvider } from '../../store/reads/provider-reads.ts'
import { deleteProvider as deleteRow } from '../../store/writes/provider-writes.ts'

/** Deletes an identity provider that has no API accounts, and at which no work is left. */
export const deleteProvider = operation({
  name: 'identityProvider.delete',
  access: { hosted: 'admin' },
  target: 'identityProviders',
  async run(tx, { id, organizationId }: OwnedKey): Promise<void> {
    await getProvider(tx.db, organizationId, id)
    const account = await findAccountOfProvider(tx.db, id)
    if (account) {
      const message = `the API account ${account.name} (${account.id}) uses this provider`
      throw new AppError('CAN_NOT_DELETE_REFERENCED_ENTITY', { message })
    }
    const job = await findOpenJobOfProvider(tx.db, id)
    if (job) {
      const message = `a job for the API account ${job.account_name} has work left at this provider: wait, or dismiss it`
      throw new AppError('CAN_NOT_DELETE_REFERENCED_ENTITY', { message })
    }
    await deleteRow(tx, id)
  },
})
