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
 * A sender from whose network the account has not logged in can name any number of accounts. So all such calls together have the turns and the places
 * of one account, strangers fewer.
 */
const SHARES: Readonly<Record<Standing, number>> = { account: 1, network: 1, stranger: 3 / 4 }

/** Who sends a password. */
export interface PasswordSender {
  /** The name that the sender gives. */
  readonly account: string
  readonly standing: Standing
}

/**
 * Digests and compares passwords. All password work goes through this class so that it never occupies every thread of Node's pool: one thread
 * stays free for files and DNS. Accounts take turns. Throws SERVER_TOO_MANY_REQUESTS when too many calls of an account, or from networks from which
 * accounts have not logged in, are running or queued.
 */
export class Passwords {
  readonly #cost: PasswordCost
  readonly #maxAtOnce: number
  readonly #queue: FairQueue
  readonly #digestOfNone: string
  /** The calls that are running or queued, by what they take turns as. */
  readonly #taken = new Map<string, number>()

  constructor(cost: PasswordCost, maxAtOnce: number = MAX_AT_ONCE, threads: number = Math.max(1, poolThreads() - 1)) {
    this.#cost = cost
    this.#maxAtOnce = maxAtOnce
    this.#queue = new FairQueue({ atOnce: threads, maxWaiting: maxAtOnce })
    this.#digestOfNone = unmatchablePasswordDigest(cost)
  }

  digest(password: string, callerId: string): Promise<string> {
    return this.#inTurn(`caller ${callerId}`, 'account', () => digestPassword(password, this.#cost))
  }

  /** Does the same work without a digest, and returns false. */
  isRight(
    password: string,
    digest: string | null | undefined,
    { account, standing }: PasswordSender,
  ): Promise<boolean> {
    const turn = standing === 'account' ? `account ${account}` : standing
    return this.#inTurn(turn, standing, () => verifyPassword(password, digest ?? this.#digestOfNone))
  }

  async #inTurn<Result>(turn: string, standing: Standing, work: () => Promise<Result>): Promise<Result> {
    const taken = this.#taken.get(turn) ?? 0
    if (taken >= Math.ceil(this.#maxAtOnce * SHARES[standing])) throw new AppError('SERVER_TOO_MANY_REQUESTS')
    this.#taken.set(turn, taken + 1)
    try {
      return await this.#queue.run(turn, work)
    } finally {
      const left = (this.#taken.get(turn) ?? 1) - 1
      if (left > 0) this.#taken.set(turn, left)
      else this.#taken.delete(turn)
    }
  }
}
