import type { AccountJobRow } from '../../store/hosted-schema.ts'
import { operation } from '../../store/operation.ts'
import {
  claimJob,
  deleteJob,
  type JobAttempt,
  type JobChange,
  updateJob,
} from '../../store/writes/account-job-writes.ts'
import { JOB_LEASE_MS } from './job-time.ts'

/** Records how far a job is; without `change` it is done, and forgotten. Returns false when another process has taken it. */
export const settleJob = operation({
  name: 'accountJob.settle',
  access: 'none',
  run: (tx, { change, ...job }: JobAttempt & { readonly change?: JobChange | undefined }): Promise<boolean> =>
    change ? updateJob(tx, job, change) : deleteJob(tx, job.id, job.attempts),
})

/** Takes a job that is due, or that waits and is wanted now. Returns undefined when another process has it. */
export const takeJob = operation({
  name: 'accountJob.take',
  access: 'none',
  run: (
    tx,
    { id, isWanted }: { readonly id: string; readonly isWanted: boolean },
  ): Promise<AccountJobRow | undefined> => claimJob(tx, id, { dueAt: tx.now + JOB_LEASE_MS, isWanted }),
})
