import { AppError } from '@countersign/core'
import { FairQueue } from '../platform/fair-queue.ts'

/** How long a read may take, and how long it may wait before: together as long as a request. */
export const LONG_READ_MS = 5_000

/** Reads that may take long at the same time, at most one of them for one caller. */
export const LONG_READS_AT_ONCE = 2
const MAX_WAITING_PER_CALLER = 100

export function longReadTimeout(): AppError {
  return new AppError('TIMEOUT', { message: 'reading the list took too long: use a filter that costs less' })
}

/** Runs the reads of each caller one after another; callers take turns. */
export class LongReadQueue {
  readonly #queue = new FairQueue({ atOnce: LONG_READS_AT_ONCE, perKey: 1, maxWaiting: MAX_WAITING_PER_CALLER })

  /** Throws TIMEOUT when the read did not start in time: by the end of it, its request would be over. */
  async run<Result>(caller: string, read: () => Promise<Result>): Promise<Result> {
    const latestStart = performance.now() + LONG_READ_MS
    return this.#queue.run(caller, async () => {
      if (performance.now() > latestStart) throw longReadTimeout()
      return read()
    })
  }
}
