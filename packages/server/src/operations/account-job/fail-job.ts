import { randomUUID } from 'node:crypto'
import { operation } from '../../store/operation.ts'
import { findJob } from '../../store/reads/account-job-reads.ts'
import type { AccountClient } from '../../store/writes/account-client-writes.ts'
import {
  FIRST_ATTEMPT,
  insertJob,
  type JobChange,
  type NewJob,
  updateJob,
} from '../../store/writes/account-job-writes.ts'
import { JOB_LEASE_MS } from './job-time.ts'

/** What a job has created at the provider: a client, or a secret of a client. */
export interface CreatedByJob {
  readonly client: AccountClient
  readonly secretId?: string
}

export interface FailJob extends Pick<NewJob, 'organizationId' | 'identityProviderId' | 'accountId' | 'accountName'> {
  readonly id: string
  readonly change: JobChange
  readonly created?: CreatedByJob | undefined
  /** Whether it is certain that what was created is not stored. */
  readonly isUnstored: boolean
}

/**
 * Records the failure of a job for the process that has begun it. If another process has taken the job, that one may have looked for what was created
 * before it existed: then its removal is a job of its own. Returns the job that is left to do.
 */
export const failJob = operation({
  name: 'accountJob.fail',
  access: 'none',
  async run(tx, { id, change, created, isUnstored, ...owners }: FailJob): Promise<string | undefined> {
    if (await updateJob(tx, { id, attempts: FIRST_ATTEMPT }, change)) return id
    // A job that was stored is deleted in the same transaction.
    if (!created || !(isUnstored || (await findJob(tx.db, id)))) return undefined
    const removalId = randomUUID()
    const kind = created.secretId === undefined ? 'remove' : 'remove-secret'
    await insertJob(tx, {
      ...owners,
      ...created,
      ...{ id: removalId, kind, state: 'pending', dueAt: tx.now + JOB_LEASE_MS },
    })
    return removalId
  },
})
