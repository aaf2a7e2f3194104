import { AppError } from '@countersign/core'
import { FairQueue } from '../platform/fair-queue.ts'
import { GroupedQueue } from '../platform/grouped-queue.ts'
import { SYSTEM_ACTOR } from './actor.ts'

/** How long a read may take, and how long it may wait before: together as long as a request. */
export const LONG_READ_MS = 5_000

/** Reads of callers that may take long at the same time, at most one of them for one caller. */
const CALLERS_AT_ONCE = 2
/** With one of the controller itself. */
export const LONG_READS_AT_ONCE = CALLERS_AT_ONCE + 1
/** By the end of a read that starts later, its request would be over. */
const WAITS = { maxWaiting: 100, maxWaitMs: LONG_READ_MS }

export function longReadTimeout(): AppError {
  return new AppError('TIMEOUT', { message: 'reading the list took too long: use a filter that costs less' })
}

/**
 * Runs the reads of each caller one after another; callers take turns, and so do the members of one. Those of the controller itself, such as of what is to
 * be revoked, wait for no caller.
 */
export class LongReadQueue {
  readonly #callers = new GroupedQueue({ ...WAITS, atOnce: CALLERS_AT_ONCE })
  readonly #own = new FairQueue({ ...WAITS, atOnce: 1 })

  run<Result>(caller: string, member: string, read: () => Promise<Result>): Promise<Result> {
    return caller === SYSTEM_ACTOR.id ? this.#own.run(caller, read) : this.#callers.run(caller, member, read)
  }
}
