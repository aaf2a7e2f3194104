/** Names that have not failed, and those whose last lookup did. */
export type LookupLane = 'steady' | 'doubtful'

/** Runs a lookup when its turn has come. */
export type LookupTurns = <Result>(lane: LookupLane, ask: () => Promise<Result>) => Promise<Result>

/** The thread pool that asks the name service also verifies signatures, and a dead name service holds a thread for long. */
const MAX_LOOKUPS = 2

/**
 * Few lookups at a time over all callers. Doubtful names wait for those that are not, and take turns one at a time; after each they all rest
 * for as long as it took. However many of them there are, and however often somebody asks, names that resolve find a place: half of the
 * time even where the pool has no more than one thread for names.
 */
export function createLookupTurns(): LookupTurns {
  const waiting: Readonly<Record<LookupLane, (() => void)[]>> = { steady: [], doubtful: [] }
  let running = 0
  let isDoubtfulTaken = false

  const next = (): (() => void) | undefined =>
    waiting.steady.shift() ?? (isDoubtfulTaken ? undefined : waiting.doubtful.shift())

  const startNext = (): void => {
    while (running < MAX_LOOKUPS) {
      const start = next()
      if (!start) return
      running++
      start()
    }
  }

  const runDoubtful = async <Result>(ask: () => Promise<Result>): Promise<Result> => {
    isDoubtfulTaken = true
    const startedMs = performance.now()
    try {
      return await ask()
    } finally {
      const rest = (): void => {
        isDoubtfulTaken = false
        startNext()
      }
      setTimeout(rest, performance.now() - startedMs).unref()
    }
  }

  return (lane, ask) =>
    new Promise((resolve, reject) => {
      const start = (): void => {
        const end = (): void => {
          running--
          startNext()
        }
        const work = lane === 'doubtful' ? runDoubtful(ask) : ask()
        work.finally(end).then(resolve, reject)
      }
      waiting[lane].push(start)
      startNext()
    })
}
