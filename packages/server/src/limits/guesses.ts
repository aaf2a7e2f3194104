import { createLruCache } from '@countersign/core'
import type { Clock } from '../platform/clock.ts'
import { TooManyRequests } from './too-many-requests.ts'

/** Counts password guesses for the whole node. */
export interface Guesses {
  /**
   * Begins a guess. Waits for guesses in progress that could reach `max` wrong ones. Returns undefined when locked out. Throws
   * `TooManyRequests` when too many guesses wait.
   */
  begin(name: string, max: number): Promise<PasswordGuess | undefined>
}

/** One guess, from `begin` until `end`. */
export interface PasswordGuess {
  /** Wrong guesses before this one. */
  readonly wrong: number
  /** Records the result. Returns the wrong guesses since the last right one, including this one. */
  settle(isRight: boolean): Promise<number>
  /** Refuses all guesses until then (ms since the epoch). */
  lock(until: number): Promise<void>
  /** Resets the count of wrong guesses. */
  reset(): Promise<void>
  end(): Promise<void>
}

interface Count {
  wrong: number
  inProgress: number
  waiting: number
  lockedUntil: number
  settled: PromiseWithResolvers<void>
}

const MAX_REMEMBERED = 50_000
const MAX_WAITING = 64

/** Counts in the memory of this process. */
export class LocalGuesses implements Guesses {
  readonly #clock: Clock
  readonly #counts = createLruCache<string, Count>(MAX_REMEMBERED)

  constructor(clock: Clock) {
    this.#clock = clock
  }

  async begin(name: string, max: number): Promise<PasswordGuess | undefined> {
    for (;;) {
      const count = this.#findCount(name)
      if (count.lockedUntil > this.#clock.now()) return undefined
      if (count.wrong + count.inProgress < max || count.inProgress === 0) {
        count.inProgress++
        return new LocalGuess(count, () => this.#counts.delete(name))
      }
      if (count.waiting >= MAX_WAITING) throw new TooManyRequests(1000)
      count.waiting++
      await count.settled.promise
      count.waiting--
    }
  }

  #findCount(name: string): Count {
    const known = this.#counts.get(name)
    if (known) return known
    const count = { wrong: 0, inProgress: 0, waiting: 0, lockedUntil: 0, settled: Promise.withResolvers<void>() }
    this.#counts.set(name, count)
    return count
  }
}

class LocalGuess implements PasswordGuess {
  readonly wrong: number
  readonly #count: Count
  readonly #resetCount: () => void

  constructor(count: Count, resetCount: () => void) {
    this.wrong = count.wrong
    this.#count = count
    this.#resetCount = resetCount
  }

  async settle(isRight: boolean): Promise<number> {
    this.#count.wrong = isRight ? 0 : this.#count.wrong + 1
    return this.#count.wrong
  }

  async lock(until: number): Promise<void> {
    this.#count.wrong = 0
    this.#count.lockedUntil = until
  }

  async reset(): Promise<void> {
    this.#resetCount()
  }

  async end(): Promise<void> {
    this.#count.inProgress--
    this.#count.settled.resolve()
    this.#count.settled = Promise.withResolvers()
  }
}
