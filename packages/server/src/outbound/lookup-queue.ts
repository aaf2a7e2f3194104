/** `low`: the last lookup of the name failed. */
export type LookupPriority = 'normal' | 'low'

/** Queues a lookup. Settles like `lookup`. */
export type LookupQueue = <Result>(priority: LookupPriority, lookup: () => Promise<Result>) => Promise<Result>

/** DNS lookups use the thread pool that also verifies signatures, and a dead DNS server occupies a thread for a long time. */
const MAX_LOOKUPS = 2

/**
 * Limits concurrent lookups over all callers. Low-priority lookups run only when no normal one waits, one at a time, and after each there is
 * a pause as long as the lookup took. So names that resolve get at least half of the time, even with one thread, however many names fail.
 */
export function createLookupQueue(): LookupQueue {
  const waiting: Readonly<Record<LookupPriority, (() => void)[]>> = { normal: [], low: [] }
  let running = 0
  let isLowBlocked = false

  const next = (): (() => void) | undefined =>
    waiting.normal.shift() ?? (isLowBlocked ? undefined : waiting.low.shift())

  const startNext = (): void => {
    while (running < MAX_LOOKUPS) {
      const start = next()
      if (!start) return
      running++
      start()
    }
  }

  const runLow = async <Result>(lookup: () => Promise<Result>): Promise<Result> => {
    isLowBlocked = true
    const startedMs = performance.now()
    try {
      return await lookup()
    } finally {
      const unblock = (): void => {
        isLowBlocked = false
        startNext()
      }
      setTimeout(unblock, performance.now() - startedMs).unref()
    }
  }

  return (priority, lookup) =>
    new Promise((resolve, reject) => {
      const start = (): void => {
        const end = (): void => {
          running--
          startNext()
        }
        const work = priority === 'low' ? runLow(lookup) : lookup()
        work.finally(end).then(resolve, reject)
      }
      waiting[priority].push(start)
      startNext()
    })
}
