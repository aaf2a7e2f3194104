import { operation } from '../../store/operation.ts'
import {
  claimJob,
  deleteForgottenJobs,
  deleteJob,
  type JobChange,
  updateJob,
} from '../../store/writes/account-job-writes.ts'
import { deleteExpiredPickups } from '../../store/writes/account-pickup-writes.ts'
import { JOB_LEASE_MS } from './job-time.ts'

/** Records how far a job is; without `change` it is done, and forgotten. */
export const settleJob = operation({
  name: 'accountJob.settle',
  access: 'none',
  async run(tx, { id, change }: { readonly id: string; readonly change?: JobChange }): Promise<void> {
    if (change) await updateJob(tx, id, change)
    else await deleteJob(tx, id)
  },
})

/** Takes a job that is due. Returns false when another node has taken it. */
export const takeJob = operation({
  name: 'accountJob.take',
  access: 'none',
  run: (tx, { id }: { readonly id: string }): Promise<boolean> => claimJob(tx, id, tx.now + JOB_LEASE_MS),
})

const PRUNE_BATCH = 500

/** Deletes failed jobs that have been shown for long, and credentials that were not picked up. Returns whether there may be more. */
export const pruneJobs = operation({
  name: 'accountJob.prune',
  access: 'none',
  async run(tx): Promise<boolean> {
    const deleted = [await deleteForgottenJobs(tx, PRUNE_BATCH), await deleteExpiredPickups(tx, PRUNE_BATCH)]
    return deleted.includes(PRUNE_BATCH)
  },
})
