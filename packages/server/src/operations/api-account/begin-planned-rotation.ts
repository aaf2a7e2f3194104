import { LONG_AGO } from '../../store/client-retirement.ts'
import { operation } from '../../store/operation.ts'
import type { OwnedKey } from '../../store/owned-key.ts'
import { findOpenJob } from '../../store/reads/account-job-reads.ts'
import { getAccountRow } from '../../store/reads/account-reads.ts'
import { findAccountEnd } from '../../store/reads/active-account-reads.ts'
import { deleteFailedRotations } from '../../store/writes/account-job-writes.ts'
import { updateRotation } from '../../store/writes/account-writes.ts'
import { addJob } from '../account-job/begin-job.ts'

/** After a failure, a planned rotation is tried again. */
const RETRY_MS = 60 * 60_000

interface BeginPlannedRotation extends OwnedKey {
  readonly jobId: string
  readonly input: string
}

/** Begins the job of a rotation that is due. Returns false when another node has begun it, or the account cannot call. */
export const beginPlannedRotation = operation({
  name: 'apiAccount.beginPlannedRotation',
  access: 'none',
  async run(tx, { id, organizationId, jobId, input }: BeginPlannedRotation): Promise<boolean> {
    const account = await getAccountRow(tx.db, organizationId, id)
    const { rotates_at: rotatesAt, rotated_at: rotatedAt } = account
    if (rotatesAt === null || rotatesAt > tx.now) return false
    // An account that cannot call would not pick up the new credentials before the old ones end.
    if (((await findAccountEnd(tx.db, id)) ?? LONG_AGO) <= tx.now) return false
    await updateRotation(tx, id, { rotatedAt, rotatesAt: tx.now + RETRY_MS })
    if (await findOpenJob(tx.db, id, 'rotate')) return false
    await deleteFailedRotations(tx, id)
    await addJob(tx, {
      id: jobId,
      organizationId,
      identityProviderId: account.identity_provider_id,
      accountId: id,
      accountName: account.name,
      kind: 'rotate',
      input,
    })
    return true
  },
})
