import {
  AppError,
  digestPassword,
  type PasswordCost,
  unmatchablePasswordDigest,
  verifyPassword,
} from '@countersign/core'
import type { Standing } from '../limits/known-networks.ts'
import { FairQueue } from '../platform/fair-queue.ts'
import { poolThreads } from '../platform/thread-pool.ts'

/** Digesting is slow by design. With this many calls of one account running or queued, further ones are refused. */
export const MAX_AT_ONCE = 16
/**
 * A sender from whose network the account has not logged in can name any number of accounts. So all such calls together have a limit: this part
 * of that of one account.
 */
const SHARES: Readonly<Record<Exclude<Standing, 'account'>, number>> = { network: 1, stranger: 3 / 4 }

/** Who sends a password. */
export interface PasswordSender {
  /** The name that the sender gives. Accounts take turns. */
  readonly account: string
  readonly standing: Standing
}

/**
 * Digests and compares passwords. All password work goes through this class so that it never occupies every thread of Node's pool: one thread
 * stays free for files and DNS. Throws SERVER_TOO_MANY_REQUESTS when too many calls of an account, or from networks from which accounts have not
 * logged in, are running or queued.
 */
export class Passwords {
  readonly #cost: PasswordCost
  readonly #maxAtOnce: number
  readonly #queue: FairQueue
  readonly #digestOfNone: string
  readonly #taken = { network: 0, stranger: 0 }

  constructor(cost: PasswordCost, maxAtOnce: number = MAX_AT_ONCE, threads: number = Math.max(1, poolThreads() - 1)) {
    this.#cost = cost
    this.#maxAtOnce = maxAtOnce
    this.#queue = new FairQueue({ atOnce: threads, maxWaiting: Math.max(1, maxAtOnce - threads) })
    this.#digestOfNone = unmatchablePasswordDigest(cost)
  }

  digest(password: string, callerId: string): Promise<string> {
    return this.#queue.run(callerId, () => digestPassword(password, this.#cost))
  }

  /** Does the same work without a digest, and returns false. */
  async isRight(
    password: string,
    digest: string | null | undefined,
    { account, standing }: PasswordSender,
  ): Promise<boolean> {
    const compare = () => this.#queue.run(account, () => verifyPassword(password, digest ?? this.#digestOfNone))
    if (standing === 'account') return compare()
    if (this.#taken[standing] >= Math.ceil(this.#maxAtOnce * SHARES[standing])) {
      throw new AppError('SERVER_TOO_MANY_REQUESTS')
    }
    this.#taken[standing]++
    try {
      return await compare()
    } finally {
      this.#taken[standing]--
    }
  }
}
