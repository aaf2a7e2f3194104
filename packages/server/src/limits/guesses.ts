import { BoundedCache } from '@countersign/core'
import type { Clock } from '../platform/clock.ts'
import { TooManyRequests } from './too-many-requests.ts'

/** Counts the guesses at passwords, for the whole node. */
export interface Guesses {
  /** Waits for a place among so many; undefined when locked out. Throws `TooManyRequests` when too many wait. */
  take(name: string, most: number): Promise<GuessPlace | undefined>
}

/** A guess that has its place, until it leaves. */
export interface GuessPlace {
  /** How many were wrong before it. */
  readonly wrong: number
  /** Notes what it was; answers how many were wrong since the last right one, this one counted. */
  judge(isRight: boolean): Promise<number>
  /** From now on nobody gets a place, until then. */
  lock(until: number): Promise<void>
  /** The count begins anew. */
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

/** The counts in this process's memory. A guess takes its place before it is compared; further ones wait for the outcome. */
export function createGuesses(clock: Clock): Guesses {
  const counts = new BoundedCache<string, Count>(MAX_REMEMBERED)

  const findCount = (name: string): Count => {
    const known = counts.get(name)
    if (known) return known
    const count = { wrong: 0, underWay: 0, waiting: 0, lockedUntil: 0, settled: Promise.withResolvers<void>() }
    counts.set(name, count)
    return count
  }

  const place = (name: string, count: Count): GuessPlace => ({
    wrong: count.wrong,
    judge: async (isRight) => {
      count.wrong = isRight ? 0 : count.wrong + 1
      return count.wrong
    },
    lock: async (until) => {
      count.wrong = 0
      count.lockedUntil = until
    },
    forget: async () => void counts.delete(name),
    leave: async () => {
      count.underWay--
      count.settled.resolve()
      count.settled = Promise.withResolvers()
    },
  })

  return {
    take: async (name, most) => {
      for (;;) {
        const count = findCount(name)
        if (count.lockedUntil > clock.now()) return undefined
        if (count.wrong + count.underWay < most || count.underWay === 0) {
          count.underWay++
          return place(name, count)
        }
        if (count.waiting >= MAX_WAITING) throw new TooManyRequests(1000)
        count.waiting++
        await count.settled.promise
        count.waiting--
      }
    },
  }
}
