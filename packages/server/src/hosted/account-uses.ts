import { createLruCache } from '@countersign/core'
import type { Logger } from 'pino'
import { noteAccountUses } from '../operations/api-account/note-account-uses.ts'
import type { Clock } from '../platform/clock.ts'
import { type Scheduler, systemScheduler } from '../platform/scheduler.ts'
import { SYSTEM_ACTOR } from '../store/actor.ts'
import type { Store } from '../store/store.ts'
import type { AccountUse } from '../store/writes/account-use-writes.ts'

interface AccountUsesParts {
  readonly store: Pick<Store, 'run'>
  readonly clock: Clock
  readonly log: Logger
  readonly scheduler?: Scheduler
}

/** Uses soon after a written one wait for this time, and only the newest is written, so that reads stay reads. */
const WRITE_EVERY_MS = 30_000
/** The first uses after a pause are collected for this time and written in one batch. */
const BATCH_MS = 200
const MAX_WAITING = 10_000

interface LastUse {
  at: number
  from: string
  writtenAt: number
  isWaiting: boolean
}

/** Notes when and from where tokens of API accounts are used. */
export class AccountUses {
  readonly #parts: AccountUsesParts
  readonly #scheduler: Scheduler
  readonly #known = createLruCache<string, LastUse>(MAX_WAITING)
  readonly #first: WaitingUses
  readonly #repeated: WaitingUses

  constructor(parts: AccountUsesParts) {
    this.#parts = parts
    this.#scheduler = parts.scheduler ?? systemScheduler
    this.#first = { uses: new Map(), writeAfterMs: BATCH_MS, cancel: undefined }
    this.#repeated = { uses: new Map(), writeAfterMs: WRITE_EVERY_MS, cancel: undefined }
  }

  /** Returns at once and never throws. */
  note(accountId: string, address: string): void {
    const now = this.#parts.clock.now()
    const known = this.#known.get(accountId)
    // A clock that is set back must not stop the notes.
    if (known !== undefined && Math.abs(now - known.writtenAt) < WRITE_EVERY_MS) {
      known.at = now
      known.from = address
      if (!known.isWaiting) this.#add(this.#repeated, accountId, known)
      return
    }
    const use = { at: now, from: address, writtenAt: now, isWaiting: false }
    if (!this.#add(this.#first, accountId, use)) return
    this.#repeated.uses.delete(accountId)
    this.#known.set(accountId, use)
  }

  #add(waiting: WaitingUses, accountId: string, use: LastUse): boolean {
    if (waiting.uses.size >= MAX_WAITING) return false
    use.isWaiting = true
    waiting.uses.set(accountId, use)
    waiting.cancel ??= this.#scheduler.after(waiting.writeAfterMs, () => void this.#write([waiting]))
    return true
  }

  /** Resolves when the uses noted before are stored. Uses that cannot be stored are dropped. */
  flush(): Promise<void> {
    return this.#write([this.#first, this.#repeated])
  }

  async #write(batches: readonly WaitingUses[]): Promise<void> {
    const { store, clock, log } = this.#parts
    const now = clock.now()
    const uses = batches.flatMap((waiting) => takeAll(waiting, now))
    if (uses.length === 0) return
    try {
      await store.run(noteAccountUses, { uses }, { actorId: SYSTEM_ACTOR.id, now })
    } catch (error) {
      log.warn({ err: error, accounts: uses.length }, 'the last use of API accounts could not be stored')
    }
  }
}

interface WaitingUses {
  readonly uses: Map<string, LastUse>
  readonly writeAfterMs: number
  cancel: (() => void) | undefined
}

/** Empties what is waiting. */
function takeAll(waiting: WaitingUses, now: number): AccountUse[] {
  waiting.cancel?.()
  waiting.cancel = undefined
  const taken = [...waiting.uses].map(([accountId, use]) => {
    use.writtenAt = now
    use.isWaiting = false
    return { accountId, at: use.at, from: use.from }
  })
  waiting.uses.clear()
  return taken
}
