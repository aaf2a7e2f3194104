/** Background work, and work that a request is waiting for. */
export type Lane = 'background' | 'urgent'

interface Waiting {
  start(lane: Lane): void
  drop(): void
}

/** Bounds the number of concurrent fetches over all signers, separately for each lane, so that dead providers do not delay what is urgent. */
export class FetchQueue {
  readonly #maxPerLane: number
  readonly #waiting: Record<Lane, Map<string, Waiting>> = { background: new Map(), urgent: new Map() }
  readonly #running: Record<Lane, number> = { background: 0, urgent: 0 }

  constructor(maxPerLane: number) {
    this.#maxPerLane = maxPerLane
  }

  /** Runs the task when its lane has room. An id may be in the queue once. */
  run(id: string, lane: Lane, task: () => Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      const start = (startedIn: Lane): void => {
        task()
          .finally(() => this.#end(startedIn))
          .then(resolve, reject)
      }
      this.#waiting[lane].set(id, { start, drop: resolve })
      this.#startNext(lane)
    })
  }

  /** Moves a task that has not begun to the urgent lane: a request waits for it now. */
  promote(id: string): void {
    const found = this.#waiting.background.get(id)
    if (!found) return
    this.#waiting.background.delete(id)
    this.#waiting.urgent.set(id, found)
    this.#startNext('urgent')
  }

  /** Removes a task that has not begun; its promise resolves. */
  drop(id: string): void {
    for (const lane of Object.values(this.#waiting)) {
      lane.get(id)?.drop()
      lane.delete(id)
    }
  }

  #startNext(lane: Lane): void {
    while (this.#running[lane] < this.#maxPerLane) {
      const [next] = this.#waiting[lane]
      if (!next) return
      const [id, { start }] = next
      this.#waiting[lane].delete(id)
      this.#running[lane]++
      start(lane)
    }
  }

  #end(lane: Lane): void {
    this.#running[lane]--
    this.#startNext(lane)
  }
}
