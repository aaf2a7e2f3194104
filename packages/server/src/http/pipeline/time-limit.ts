import { AppError, Slots } from '@countersign/core'

/** The result of the work, or a 503 when it takes longer. What was begun is not undone: the caller learns that it may ask again. */
export type TimeLimit = <T>(work: Promise<T> | T) => Promise<T>

interface Work {
  readonly since: number
  readonly giveUp: () => void
  isGivenUp: boolean
}

/** How often it is looked for what takes too long: as often as this in the time that it may take, and at least each second. */
const LOOKS = 10
const LOOK_MS = 1_000

/** One for all calls: a timer for each would cost more than looking up its session. */
export function createTimeLimit(milliseconds: number): TimeLimit {
  const underWay = new Slots<Work>()
  let looking: NodeJS.Timeout | undefined

  const look = (): void => {
    const latest = performance.now() - milliseconds
    for (const work of underWay.takeAll(({ since }) => since <= latest)) {
      work.isGivenUp = true
      work.giveUp()
    }
    if (underWay.size > 0) return
    clearInterval(looking)
    looking = undefined
  }

  return (work) => {
    if (!(work instanceof Promise)) return Promise.resolve(work)
    looking ??= setInterval(look, Math.min(LOOK_MS, milliseconds / LOOKS)).unref()
    return new Promise((resolve, reject) => {
      const giveUp = (): void => reject(new AppError('TIMEOUT'))
      const mine: Work = { since: performance.now(), giveUp, isGivenUp: false }
      const slot = underWay.add(mine)
      const end = (): void => {
        if (!mine.isGivenUp) underWay.take(slot)
      }
      work.then(
        (result) => {
          end()
          resolve(result)
        },
        (error: unknown) => {
          end()
          reject(error)
        },
      )
    })
  }
}
