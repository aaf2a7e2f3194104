import { AppError } from '@countersign/core'
import type { Transaction } from '../../store/transaction.ts'
import { deleteJob, FIRST_ATTEMPT } from '../../store/writes/account-job-writes.ts'

/** Ends a job whose result is stored in the same transaction. Throws PROVIDER_FAILED when it took too long: another process has taken it, and undoes it. */
export async function finishJob(tx: Transaction, jobId: string | undefined): Promise<void> {
  if (jobId === undefined || (await deleteJob(tx, jobId, FIRST_ATTEMPT))) return
  throw tookTooLong()
}

export function tookTooLong(): AppError {
  return new AppError('PROVIDER_FAILED', { message: 'the provider took too long, and its work is being undone' })
}
