import { AppError } from '@countersign/core'

/** The result of the work, or a 503 when it takes longer. What was begun is not undone: the caller learns that it may ask again. */
export async function withinTime<T>(milliseconds: number, work: Promise<T> | T): Promise<T> {
  if (!(work instanceof Promise)) return work
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new AppError('TIMEOUT')), milliseconds)
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
