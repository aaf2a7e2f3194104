import { AppError, Slots } from '@countersign/core'

/** Resolves with the result of the work, or rejects with TIMEOUT (503, retryable). The work itself is not cancelled. */
export type TimeLimit = <T>(work: Promise<T>) => Promise<T>

interface Work {
  readonly since: number
  readonly expire: () => void
  isExpired: boolean
}

/** Checks for overdue work run this often within the limit, and at least once a second. */
const CHECKS_PER_LIMIT = 10
const MAX_CHECK_MS = 1_000

/** One timer for all requests: a timer for each would cost more than the lookup of its session. */
export function createTimeLimit(milliseconds: number): TimeLimit {
  const running = new Slots<Work>()
  let timer: NodeJS.Timeout | undefined

  const check = (): void => {
    const latest = performance.now() - milliseconds
    for (const work of running.takeAll(({ since }) => since <= latest)) {
      work.isExpired = true
      work.expire()
    }
    if (running.size > 0) return
    clearInterval(timer)
    timer = undefined
  }

  return (work) => {
    timer ??= setInterval(check, Math.min(MAX_CHECK_MS, milliseconds / CHECKS_PER_LIMIT)).unref()
    return new Promise((resolve, reject) => {
      const expire = (): void => reject(new AppError('TIMEOUT'))
      const entry: Work = { since: performance.now(), expire, isExpired: false }
      const slot = running.add(entry)
      const end = (): void => {
        if (!entry.isExpired) running.take(slot)
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
