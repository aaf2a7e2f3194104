import { randomUUID } from 'node:crypto'
import { accountClient } from '../../store/hosted-rows.ts'
import type { ApiAccountRow } from '../../store/hosted-schema.ts'
import { operation } from '../../store/operation.ts'
import { findCurrentClient, findUsableClients, type UsableClients } from '../../store/reads/account-client-reads.ts'
import { findOpenJob } from '../../store/reads/account-job-reads.ts'
import type { Transaction } from '../../store/transaction.ts'
import { deleteJob, insertJob, type JobAttempt, updateJob } from '../../store/writes/account-job-writes.ts'
import { JOB_LEASE_MS } from './job-time.ts'

/**
 * Records that the client of an account is to be enabled or disabled at the provider, as the account is. An account has one such job: a process that
 * is at work on it applies later changes too. Returns it; none when the controller did not create the client.
 */
export async function addEnableJob(tx: Transaction, account: ApiAccountRow): Promise<string[]> {
  const row = await findCurrentClient(tx.db, account.id)
  const client = row && accountClient(row)
  if (!client?.administeredBy) return []
  const open = await findOpenJob(tx.db, account.id, 'enable')
  if (open) return [open.id]
  const id = randomUUID()
  await insertJob(tx, {
    id,
    organizationId: account.organization_id,
    identityProviderId: account.identity_provider_id,
    accountId: account.id,
    accountName: account.name,
    kind: 'enable',
    state: 'pending',
    client,
    dueAt: tx.now + JOB_LEASE_MS,
  })
  return [id]
}

/** Clients of an account, and whether it was active when that was applied at the provider. */
export interface AppliedState {
  readonly clientIds: readonly string[]
  readonly active: boolean
}

/** What is to be applied; undefined for an account without a client. */
export function stateToApply(usable: UsableClients | undefined): AppliedState | undefined {
  return usable && { clientIds: usable.clients.map(({ client_id: id }) => id).toSorted(), active: usable.active }
}

export interface EndEnableJob extends JobAttempt {
  readonly accountId: string
  /** Undefined for an account without a client. */
  readonly applied: AppliedState | undefined
}

/** Ends a job. Returns true, and goes on with it, when the account has another state or other clients by now; false too when another process has taken it. */
export const endEnableJob = operation({
  name: 'accountJob.endEnable',
  access: 'none',
  async run(tx, { id, attempts, accountId, applied }: EndEnableJob): Promise<boolean> {
    const current = stateToApply(await findUsableClients(tx.db, accountId, tx.now))
    const isLast = JSON.stringify(applied ?? null) === JSON.stringify(current ?? null)
    if (!isLast) return updateJob(tx, { id, attempts }, { state: 'running', error: null, dueAt: tx.now + JOB_LEASE_MS })
    await deleteJob(tx, id, attempts)
    return false
  },
})
