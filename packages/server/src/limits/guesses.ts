import { BoundedCache } from '@countersign/core'
import type { Clock } from '../platform/clock.ts'
import { TooManyRequests } from './too-many-requests.ts'

/** Counts guesses at passwords, for the whole node. */
export interface Guesses {
  /** Waits for one of `most` places; undefined when locked out. Throws `TooManyRequests` when too many wait. */
  take(name: string, most: number): Promise<GuessPlace | undefined>
}

/** The place of one guess, from `take` until `leave`. */
export interface GuessPlace {
  /** How many guesses were wrong before this one. */
  readonly wrong: number
  /** Records the outcome. Returns how many were wrong since the last right one, this one included. */
  judge(isRight: boolean): Promise<number>
  /** Refuses all places until then. */
  lock(until: number): Promise<void>
  /** Resets the count. */
  forget(): Promise<void>
  leave(): Promise<void>
}

interface Count {
  wrong: number
  underWay: number
  waiting: number
  lockedUntil: number
  settled: PromiseWithResolvers<void>
}

const MAX_REMEMBERED = 50_000
const MAX_WAITING = 64

/** Counts in this process's memory. A guess takes its place before it is compared; further ones wait for the outcome. */
export class LocalGuesses implements Guesses {
  readonly #clock: Clock
  readonly #counts = new BoundedCache<string, Count>(MAX_REMEMBERED)

  constructor(clock: Clock) {
    this.#clock = clock
  }

  async take(name: string, most: number): Promise<GuessPlace | undefined> {
    for (;;) {
      const count = this.#findCount(name)
      if (count.lockedUntil > this.#clock.now()) return undefined
      if (count.wrong + count.underWay < most || count.underWay === 0) {
        count.underWay++
        return new LocalPlace(count, () => this.#counts.delete(name))
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
    const count = { wrong: 0, underWay: 0, waiting: 0, lockedUntil: 0, settled: Promise.withResolvers<void>() }
    this.#counts.set(name, count)
    return count
  }
}

class LocalPlace implements GuessPlace {
  readonly wrong: number
  readonly #count: Count
  readonly #reset: () => void

  constructor(count: Count, reset: () => void) {
    this.wrong = count.wrong
    this.#count = count
    this.#reset = reset
  }

  async judge(isRight: boolean): Promise<number> {
    this.#count.wrong = isRight ? 0 : this.#count.wrong + 1
    return this.#count.wrong
  }

  async lock(until: number): Promise<void> {
    this.#count.wrong = 0
    this.#count.lockedUntil = until
  }

  async forget(): Promise<void> {
    this.#reset()
  }

  async leave(): Promise<void> {
    this.#count.underWay--
    this.#count.settled.resolve()
    this.#count.settled = Promise.withResolvers()
  }
}
