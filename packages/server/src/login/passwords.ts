import { AppError, digestOfNoPassword, digestPassword, type PasswordCost, verifyPassword } from '@countersign/core'
import { poolThreads } from '../platform/thread-pool.ts'

/** Digesting is slow by design: with more than this under way or waiting, further calls are refused. */
export const MAX_AT_ONCE = 16

/**
 * Digests and compares passwords. All work with passwords goes through here, so that it never keeps every thread of Node's pool busy: one is
 * left for files and names. Throws SERVER_TOO_MANY_REQUESTS when too much is under way.
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
    this.#digestOfNone = digestOfNoPassword(cost)
  }

  digest(password: string): Promise<string> {
    return this.#limited(() => digestPassword(password, this.#cost))
  }

  /** Does the same work when there is no digest to compare with. */
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
      // The next in the queue takes over this one's thread.
      const next = this.#waiting.shift()
      if (next) next()
      else this.#working--
    }
  }
}
