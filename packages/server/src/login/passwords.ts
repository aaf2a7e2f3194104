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
/** The part of these places that only known callers can take. */
const RESERVED_SHARE = 1 / 4

/**
 * Digests and compares passwords. All password work goes through this class so that it never occupies every thread of Node's pool: one thread
 * stays free for files and DNS. Throws SERVER_TOO_MANY_REQUESTS when too many calls are running or queued.
 */
export class Passwords {
  readonly #cost: PasswordCost
  readonly #maxAtOnce: number
  readonly #maxOfStrangers: number
  readonly #threads: number
  readonly #digestOfNone: string
  readonly #waiting: (() => void)[] = []
  #working = 0

  constructor(cost: PasswordCost, maxAtOnce: number = MAX_AT_ONCE, threads: number = Math.max(1, poolThreads() - 1)) {
    this.#cost = cost
    this.#maxAtOnce = maxAtOnce
    this.#maxOfStrangers = maxAtOnce - Math.floor(maxAtOnce * RESERVED_SHARE)
    this.#threads = threads
    this.#digestOfNone = unmatchablePasswordDigest(cost)
  }

  digest(password: string): Promise<string> {
    return this.#limited(() => digestPassword(password, this.#cost), this.#maxAtOnce)
  }

  /** Does the same work without a digest, and returns false. Some places are reserved for callers from known networks. */
  isRight(password: string, digest: string | null | undefined, isKnown: boolean): Promise<boolean> {
    const max = isKnown ? this.#maxAtOnce : this.#maxOfStrangers
    return this.#limited(() => verifyPassword(password, digest ?? this.#digestOfNone), max)
  }

  async #limited<Result>(work: () => Promise<Result>, max: number): Promise<Result> {
    if (this.#working + this.#waiting.length >= max) throw new AppError('SERVER_TOO_MANY_REQUESTS')
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
