import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '@countersign/core'
import type { Clock } from '../platform/clock.ts'
import { FairQueue } from '../platform/fair-queue.ts'
import type { Operation } from '../store/operation.ts'
import type { OperationMeta } from '../store/operation-meta.ts'
import type { Store } from '../store/store.ts'

const RETRY_MS = 20
const MAX_TRIES = 100
const MAX_WAITING = 20

interface LoginWritesParts {
  readonly store: Pick<Store, 'run'>
  readonly clock: Clock
}

/**
 * Changes logins of the OpenID provider, one request after another for each. On PostgreSQL the changes of many logins share a transaction, in which
 * two of one login would see each other's half: they never come together from this process. While another process changes the login,
 * they are tried again: waiting with locks held could stop both.
 */
export class LoginWrites {
  readonly #parts: LoginWritesParts
  readonly #queue = new FairQueue({ atOnce: Number.POSITIVE_INFINITY, perKey: 1, maxWaiting: MAX_WAITING })

  constructor(parts: LoginWritesParts) {
    this.#parts = parts
  }

  run<Args extends { readonly loginId: string }, Result>(
    operation: Operation<Args, Result | 'busy', 'none'>,
    args: Args,
    meta: Pick<OperationMeta, 'actorId' | 'events'>,
  ): Promise<Result> {
    const { store, clock } = this.#parts
    return this.#queue.run(args.loginId, async () => {
      for (let tries = 0; tries < MAX_TRIES; tries++) {
        const result = await store.run(operation, args, { ...meta, now: clock.now() })
        if (result !== 'busy') return result as Result
        await sleep(RETRY_MS)
      }
      throw new AppError('SERVER_TOO_MANY_REQUESTS')
    })
  }
}
