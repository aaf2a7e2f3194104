import {
  AppError,
  digestPassword,
  type PasswordCost,
  unmatchablePasswordDigest,
  verifyPassword,
} from '@countersign/core'
import { poolThreads } from '../platform/thread-pool.ts'

/** Digesting is slow by design. With this many calls running or queued, further calls are refused. */
export const MAX_AT_ONCE = 16

/**
 * Digests and compares passwords. All password work goes through this class so that it never occupies every thread of Node's pool: one thread
 * stays free for files and DNS. Throws SERVER_TOO_MANY_REQUESTS when too many calls are running or queued.
 */
export class Passwords {
  readonly #cost: PasswordCost
  readonly #maxAtOnce: number
  readonly #threads: number
  readonly #digestOfNone: string
  readonly #waiting: (() => void)[] = []
  #working = 0

  constructor(cost: PasswordCost, maxAtOnce: number = MAX_AT_ONCE, threads: number = Math.max(1, poolThreads() - 1)) {
    this.#cost = cost
    this.#maxAtOnce = maxAtOnce
    this.#threads = threads
    this.#digestOfNone = unmatchablePasswordDigest(cost)
  }

  digest(password: string): Promise<string> {
    return this.#limited(() => digestPassword(password, this.#cost))
  }

  /** Does the same work without a digest, and returns false. */
  isRight(password: string, digest: string | null | undefined): Promise<boolean> {
    return this.#limited(() => verifyPassword(password, digest ?? this.#digestOfNone))
  }

  async #limited<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#working + this.#waiting.length >= this.#maxAtOnce) throw new AppError('SERVER_TOO_MANY_REQUESTS')
    if (this.#working < this.#threads) this.#working++
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    try {
      return await work()
    } finally {
      // The next queued call takes over this thread.
      const next = this.#waiting.shift()
      if (next) next()
      else this.#working--
    }
  }
}
