import { AppError, digestOfNoPassword, digestPassword, type PasswordCost, verifyPassword } from '@countersign/core'
import { poolThreads } from '../platform/thread-pool.ts'

/** Digesting is made to be slow: with more than this under way or waiting the next caller has to come again. */
export const MAX_AT_ONCE = 16

export interface Passwords {
  digest(password: string): Promise<string>
  /** Costs the same work when there is nothing to compare with. */
  isRight(password: string, digest: string | null | undefined): Promise<boolean>
}

/**
 * All work with passwords goes through here, so that it never keeps every thread of Node's pool busy: one is left for files, names and
 * what else takes a thousandth of the time.
 */
export function createPasswords(
  cost: PasswordCost,
  maxAtOnce: number = MAX_AT_ONCE,
  threads: number = Math.max(1, poolThreads() - 1),
): Passwords {
  const digestOfNobody = digestOfNoPassword(cost)
  const waiting: (() => void)[] = []
  let working = 0

  const limited = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (working + waiting.length >= maxAtOnce) throw new AppError('SERVER_TOO_MANY_REQUESTS')
    if (working < threads) working++
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await work()
    } finally {
      // Whoever is next takes over the place.
      const next = waiting.shift()
      if (next) next()
      else working--
    }
  }

  return {
    digest: (password) => limited(() => digestPassword(password, cost)),
    isRight: (password, digest) => limited(() => verifyPassword(password, digest ?? digestOfNobody)),
  }
}
