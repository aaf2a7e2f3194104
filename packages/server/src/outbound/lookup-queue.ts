import { setTimeout as sleep } from 'node:timers/promises'
import { FairQueue } from '../platform/fair-queue.ts'

/** `low`: the last lookup of the name failed. */
export type LookupPriority = 'normal' | 'low'

export interface QueuedLookup {
  readonly priority: LookupPriority
  /** In whose name; at most one lookup of an owner runs at a time. */
  readonly owner: string
  /** Drops the lookup while it waits. */
  readonly signal: AbortSignal
}

/** Queues a lookup. Settles like `lookup`. */
export type LookupQueue = <Result>(queued: QueuedLookup, lookup: () => Promise<Result>) => Promise<Result>

/** DNS lookups use the thread pool that also verifies signatures, and a dead DNS server occupies a thread for a long time. */
const MAX_LOOKUPS = 2
/** The resolver limits the names. */
const maxWaiting = Number.POSITIVE_INFINITY

/**
 * Limits concurrent lookups over all callers; owners take turns. Low-priority lookups run one at a time, and after each there is a pause as
 * long as the lookup took. So names that resolve get at least half of the time, even with one thread, however many names fail. New names have
 * normal priority even when they will fail, so one owner never uses all capacity.
 */
export function createLookupQueue(): LookupQueue {
  const lookups = new FairQueue({ atOnce: MAX_LOOKUPS, perKey: 1, maxWaiting })
  const low = new FairQueue({ atOnce: 1, maxWaiting })

  return ({ priority, owner, signal }, lookup) => {
    if (priority === 'normal') return lookups.run(owner, lookup, { signal })
    return new Promise((resolve, reject) => {
      const runAndPause = async (): Promise<void> => {
        let tookMs = 0
        const timed = async () => {
          const startedMs = performance.now()
          return lookup().finally(() => {
            tookMs = performance.now() - startedMs
          })
        }
        await lookups.run(owner, timed, { signal }).then(resolve, reject)
        await sleep(tookMs, undefined, { ref: false })
      }
      low.run(owner, runAndPause, { signal }).catch(reject)
    })
  }
}
