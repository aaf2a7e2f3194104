import { ERRORS } from '@countersign/contract'
import { AppError } from '@countersign/core'
import { type Attempt, UNCOUNTED } from '../../limits/attempt-limiter.ts'
import type { AttemptLimits } from '../../limits/attempt-limits.ts'
import { TooManyRequests } from '../../limits/too-many-requests.ts'

/** Serves a call that counts against its address unless it succeeds. Over the limit it is refused before anything of it is read. */
export async function countAttempt<Result>(
  limits: Pick<AttemptLimits, 'address' | 'holdBack'>,
  address: string,
  serve: () => Promise<Result>,
): Promise<Result> {
  let attempt: Attempt = UNCOUNTED
  try {
    attempt = limits.address.begin(address)
    const result = await serve()
    attempt.giveBack()
    return result
  } catch (error) {
    await countFailure(limits, address, attempt, error)
    throw error
  }
}

/** What fails for a reason that is not the caller's does not count. One refusal too many is told late. */
export async function countFailure(
  { holdBack }: Pick<AttemptLimits, 'holdBack'>,
  address: string,
  attempt: Attempt,
  error: unknown,
): Promise<void> {
  const counts = error instanceof AppError && !ERRORS[error.code].retryable
  if (!counts) attempt.giveBack()
  if (counts || error instanceof TooManyRequests) await holdBack(address)
}
