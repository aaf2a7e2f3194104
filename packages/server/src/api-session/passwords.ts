import { AppError, digestOfNoPassword, digestPassword, type PasswordCost, verifyPassword } from '@countersign/core'

/** Digesting is made to be slow: more of it than this at once and the next caller has to come again. */
export const MAX_AT_ONCE = 16

export interface Passwords {
  digest(password: string): Promise<string>
  /** Costs the same work when there is nothing to compare with. */
  isRight(password: string, digest: string | null | undefined): Promise<boolean>
}

/** All work with passwords goes through here, so that nobody can keep every thread busy with it. */
export function createPasswords(cost: PasswordCost, maxAtOnce: number = MAX_AT_ONCE): Passwords {
  const digestOfNobody = digestOfNoPassword(cost)
  let working = 0

  const limited = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (working >= maxAtOnce) throw new AppError('SERVER_TOO_MANY_REQUESTS')
    working++
    try {
      return await work()
    } finally {
      working--
    }
  }

  return {
    digest: (password) => limited(() => digestPassword(password, cost)),
    isRight: (password, digest) => limited(() => verifyPassword(password, digest ?? digestOfNobody)),
  }
}
