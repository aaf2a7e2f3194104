/** Background work, and work that a request is waiting for. */
export type Lane = 'background' | 'urgent'

export interface FetchQueue {
  /** Runs the task when its turn has come. An id may be in the queue once. */
  run(id: string, lane: Lane, task: () => Promise<void>): Promise<void>
  /** Somebody waits for it now: if it has not begun, it goes to the urgent lane. */
  promote(id: string): void
  /** Takes it out if it has not begun; its promise then resolves. */
  drop(id: string): void
}

interface Waiting {
  start(lane: Lane): void
  drop(): void
}

/** Keeps the number of fetches over all signers within bounds, in each lane its own, so that no dead provider delays what is urgent. */
export function createFetchQueue(maxPerLane: number): FetchQueue {
  const waiting: Record<Lane, Map<string, Waiting>> = { background: new Map(), urgent: new Map() }
  const running: Record<Lane, number> = { background: 0, urgent: 0 }

  const startNext = (lane: Lane): void => {
    while (running[lane] < maxPerLane) {
      const [next] = waiting[lane]
      if (!next) return
      const [id, { start }] = next
      waiting[lane].delete(id)
      running[lane]++
      start(lane)
    }
  }

  return {
    run: (id, lane, task) =>
      new Promise((resolve, reject) => {
        waiting[lane].set(id, {
          start: (startedIn) => {
            const end = (): void => {
              running[startedIn]--
              startNext(startedIn)
            }
            task().finally(end).then(resolve, reject)
          },
          drop: resolve,
        })
        startNext(lane)
      }),
    promote: (id) => {
      const found = waiting.background.get(id)
      if (!found) return
      waiting.background.delete(id)
      waiting.urgent.set(id, found)
      startNext('urgent')
    },
    drop: (id) => {
      for (const lane of Object.values(waiting)) {
        lane.get(id)?.drop()
        lane.delete(id)
      }
    },
  }
}
