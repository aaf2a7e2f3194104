import { operation } from '../../store/operation.ts'
import { deleteForgottenJobs } from '../../store/writes/account-job-writes.ts'
import { deleteExpiredPickups } from '../../store/writes/account-pickup-writes.ts'

const BATCH = 500

/** Deletes failed jobs that have been shown for long, and credentials that were not picked up. Returns whether there may be more. */
export const pruneJobs = operation({
  name: 'accountJob.prune',
  access: 'none',
  async run(tx): Promise<boolean> {
    const deleted = [await deleteForgottenJobs(tx, BATCH), await deleteExpiredPickups(tx, BATCH)]
    return deleted.includes(BATCH)
  },
})
