/** `urgent`: a request waits for the fetch. */
export type FetchPriority = 'background' | 'urgent'

interface Waiting {
  start(priority: FetchPriority): void
  drop(): void
}

/** Bounds the concurrent fetches of all signers, separately per priority, so that unresponsive providers do not delay urgent fetches. */
export class FetchQueue {
  readonly #maxPerPriority: number
  readonly #waiting: Record<FetchPriority, Map<string, Waiting>> = { background: new Map(), urgent: new Map() }
  readonly #running: Record<FetchPriority, number> = { background: 0, urgent: 0 }

  constructor(maxPerPriority: number) {
    this.#maxPerPriority = maxPerPriority
  }

  /** Runs the task when its priority has capacity. An id may be queued only once. */
  run(id: string, priority: FetchPriority, task: () => Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      const start = (startedAs: FetchPriority): void => {
        task()
          .finally(() => this.#end(startedAs))
          .then(resolve, reject)
      }
      this.#waiting[priority].set(id, { start, drop: resolve })
      this.#startNext(priority)
    })
  }

  /** Makes a queued task urgent, because a request now waits for it. */
  promote(id: string): void {
    const found = this.#waiting.background.get(id)
    if (!found) return
    this.#waiting.background.delete(id)
    this.#waiting.urgent.set(id, found)
    this.#startNext('urgent')
  }

  /** Removes a queued task. Its promise resolves. */
  drop(id: string): void {
    for (const queue of Object.values(this.#waiting)) {
      queue.get(id)?.drop()
      queue.delete(id)
    }
  }

  #startNext(priority: FetchPriority): void {
    while (this.#running[priority] < this.#maxPerPriority) {
      const [next] = this.#waiting[priority]
      if (!next) return
      const [id, { start }] = next
      this.#waiting[priority].delete(id)
      this.#running[priority]++
      start(priority)
    }
  }

  #end(priority: FetchPriority): void {
    this.#running[priority]--
    this.#startNext(priority)
  }
}
