import { createLruCache } from '@countersign/core'
import type { Logger } from 'pino'
import { noteAccountUses } from '../operations/api-account/account-uses.ts'
import type { Clock } from '../platform/clock.ts'
import { SYSTEM_ACTOR } from '../store/actor.ts'
import type { Store } from '../store/store.ts'

interface AccountUsesParts {
  readonly store: Pick<Store, 'run'>
  readonly clock: Clock
  readonly log: Logger
}

/** The use of an account is written at most this often, so that reads stay reads. The store lags behind by up to as much. */
const WRITE_EVERY_MS = 30_000
/** Uses are collected for this time and written in one batch. */
const BATCH_MS = 200
const MAX_WAITING = 10_000

/** Notes when and from where tokens of API accounts are used. */
export class AccountUses {
  readonly #parts: AccountUsesParts
  /** When the last use of an account was written. */
  readonly #writtenAt = createLruCache<string, number>(MAX_WAITING)
  #waiting = new Map<string, { readonly at: number; readonly from: string }>()
  #timer: NodeJS.Timeout | undefined

  constructor(parts: AccountUsesParts) {
    this.#parts = parts
  }

  /** Returns at once and never throws. */
  note(accountId: string, address: string): void {
    const now = this.#parts.clock.now()
    const writtenAt = this.#writtenAt.get(accountId)
    // A clock that is set back must not stop the notes.
    if (writtenAt !== undefined && Math.abs(now - writtenAt) < WRITE_EVERY_MS) return
    if (this.#waiting.size >= MAX_WAITING) return
    this.#writtenAt.set(accountId, now)
    this.#waiting.set(accountId, { at: now, from: address })
    this.#timer ??= setTimeout(() => void this.flush(), BATCH_MS).unref()
  }

  /** Resolves when the uses noted before are stored. Uses that cannot be stored are dropped. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const uses = [...this.#waiting].map(([accountId, use]) => ({ accountId, ...use }))
    this.#waiting = new Map()
    if (uses.length === 0) return
    const { store, clock, log } = this.#parts
    try {
      await store.run(noteAccountUses, { uses }, { actorId: SYSTEM_ACTOR.id, now: clock.now() })
    } catch (error) {
      log.warn({ err: error, accounts: uses.length }, 'the last use of API accounts could not be stored')
    }
  }
}
