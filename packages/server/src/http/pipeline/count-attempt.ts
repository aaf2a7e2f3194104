import { ERRORS } from '@countersign/contract'
import { AppError } from '@countersign/core'
import { type Attempt, UNCOUNTED } from '../../limits/attempt-limiter.ts'
import type { AttemptLimits } from '../../limits/attempt-limits.ts'
import { TooManyRequests } from '../../limits/too-many-requests.ts'
import { asksForNonce } from '../../token/possession-challenge.ts'

/** Runs `serve` as an attempt of the address. Only failures count. Over the limit it throws before `serve` runs. */
export async function countAttempt<Result>(
  limits: Pick<AttemptLimits, 'address' | 'delayRefusal'>,
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

/** Failures that are not the caller's fault do not count. Refusals over the rate are delayed. */
export async function countFailure(
  { delayRefusal }: Pick<AttemptLimits, 'delayRefusal'>,
  address: string,
  attempt: Attempt,
  error: unknown,
): Promise<void> {
  const counts = error instanceof AppError && !ERRORS[error.code].retryable && !asksForNonce(error)
  if (!counts) attempt.giveBack()
  if (counts || error instanceof TooManyRequests) await delayRefusal(address)
}
