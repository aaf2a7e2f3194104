import { fieldError } from '@countersign/core'
import { operation } from '../../store/operation.ts'
import type { OwnedKey } from '../../store/owned-key.ts'
import { getJob } from '../../store/reads/account-job-reads.ts'
import { deleteJob } from '../../store/writes/account-job-writes.ts'

/** Forgets a job. What it would have removed at the provider stays there. */
export const dismissJob = operation({
  name: 'accountJob.dismiss',
  access: { hosted: 'admin' },
  target: 'accountJobs',
  async run(tx, { id, organizationId }: OwnedKey): Promise<void> {
    const { state } = await getJob(tx.db, organizationId, id)
    if (state === 'running') throw fieldError('id', 'the job is at work: try again later', id)
    await deleteJob(tx, id)
    tx.changed({ entity: 'accountJobs', id, action: 'deleted' })
  },
})
