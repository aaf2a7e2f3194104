import { ERRORS } from '@countersign/contract'
import { AppError } from '@countersign/core'
import type { AttemptLimiter } from '../../limits/attempt-limiter.ts'

/**
 * Serves a call that counts against its address unless it succeeds. Over the limit it is refused before anything of it is
 * read. What fails for a reason that is not the caller's does not count.
 */
export async function countAttempt<Result>(
  limiter: AttemptLimiter,
  address: string,
  serve: () => Promise<Result>,
  isRefusal: (result: Result) => boolean = () => false,
): Promise<Result> {
  const attempt = limiter.begin(address)
  try {
    const result = await serve()
    if (!isRefusal(result)) attempt.giveBack()
    return result
  } catch (error) {
    if (!(error instanceof AppError) || ERRORS[error.code].retryable) attempt.giveBack()
    throw error
  }
}
