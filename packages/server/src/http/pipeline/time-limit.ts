import { AppError } from '@countersign/core'

/** The result of the work, or a 503 when it takes longer. What was begun is not undone: the caller learns that it may ask again. */
export type TimeLimit = <T>(work: Promise<T> | T) => Promise<T>

interface Work {
  readonly since: number
  readonly giveUp: () => void
}

/** How often it is looked for what takes too long: as often as this in the time that it may take, and at least each second. */
const LOOKS = 10
const LOOK_MS = 1_000

/** One for all calls: a timer for each would cost more than looking up its session. */
export function createTimeLimit(milliseconds: number): TimeLimit {
  const underWay = new Set<Work>()
  let looking: NodeJS.Timeout | undefined

  const look = (): void => {
    const latest = performance.now() - milliseconds
    // What was begun first stands first.
    for (const work of underWay) {
      if (work.since > latest) return
      underWay.delete(work)
      work.giveUp()
    }
    clearInterval(looking)
    looking = undefined
  }

  return (work) => {
    if (!(work instanceof Promise)) return Promise.resolve(work)
    looking ??= setInterval(look, Math.min(LOOK_MS, milliseconds / LOOKS)).unref()
    return new Promise((resolve, reject) => {
      const mine: Work = { since: performance.now(), giveUp: () => reject(new AppError('TIMEOUT')) }
      underWay.add(mine)
      work.then(
        (result) => {
          underWay.delete(mine)
          resolve(result)
        },
        (error: unknown) => {
          underWay.delete(mine)
          reject(error)
        },
      )
    })
  }
}
