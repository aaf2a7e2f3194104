import type { AccountJobKind } from '@countersign/contract'
import { AppError, fieldError } from '@countersign/core'
import { operation } from '../../store/operation.ts'
import type { OwnedKey } from '../../store/owned-key.ts'
import { countOpenJobs, findOpenJob, getJob } from '../../store/reads/account-job-reads.ts'
import { getProvider } from '../../store/reads/provider-reads.ts'
import { checkVersion } from '../../store/row-version.ts'
import type { Transaction } from '../../store/transaction.ts'
import { deleteJob, deleteSurplusJobs, insertJob } from '../../store/writes/account-job-writes.ts'
import { checkTargetOrganization } from '../organization/target-organization.ts'
import { JOB_LEASE_MS } from './job-time.ts'

/** Each is work that is still to be done. An organization whose provider fails must not collect them without end. */
const MAX_JOBS = 1_000
/** Failed jobs that are shown. */
const MAX_FAILED_JOBS = 100

export interface BeginJob extends OwnedKey {
  readonly identityProviderId: string
  readonly accountId: string
  readonly accountName: string
  readonly kind: Extract<AccountJobKind, 'create' | 'rotate'>
  /** JSON: what repeating the job needs. */
  readonly input: string
  /** The failed job that this one repeats. */
  readonly repeats?: RepeatedJob | undefined
}

/** A job, in the version that `If-Match` names. */
export interface RepeatedJob {
  readonly id: string
  readonly ifMatch?: string | undefined
}

/** Records that a client or a secret is about to be created at a provider, so that it is removed there when the creation does not end. */
export const beginJob = operation({
  name: 'accountJob.begin',
  access: { hosted: 'admin' },
  async run(tx, { repeats, ...job }: BeginJob): Promise<void> {
    await checkTargetOrganization(tx, job.organizationId)
    await getProvider(tx.db, job.organizationId, job.identityProviderId)
    if (repeats !== undefined) await forgetRepeated(tx, repeats, job.organizationId)
    await addJob(tx, job)
  },
})

export async function addJob(tx: Transaction, job: Omit<BeginJob, 'repeats'>): Promise<void> {
  if (job.kind === 'rotate' && (await findOpenJob(tx.db, job.accountId, 'rotate'))) {
    throw fieldError('id', 'a rotation of this account is under way or is being undone: try again later', job.accountId)
  }
  await deleteSurplusJobs(tx, job.organizationId, MAX_FAILED_JOBS)
  if ((await countOpenJobs(tx.db, job.organizationId, MAX_JOBS)) >= MAX_JOBS) {
    const message = `the organization has ${MAX_JOBS} jobs that are not done: see /identity/v1/account-jobs`
    throw new AppError('INVALID_FIELD', { message })
  }
  await insertJob(tx, { ...job, state: 'running', dueAt: tx.now + JOB_LEASE_MS })
}

async function forgetRepeated(tx: Transaction, { id, ifMatch }: RepeatedJob, organizationId: string): Promise<void> {
  const { state, updated_at: updatedAt } = await getJob(tx.db, organizationId, id)
  checkVersion(updatedAt, ifMatch)
  if (state !== 'failed' && state !== 'unknown')
    throw fieldError('id', 'the job has not ended yet: try again later', id)
  await deleteJob(tx, id)
}
