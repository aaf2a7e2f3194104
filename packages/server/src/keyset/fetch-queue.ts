/** `urgent`: a request waits for the fetch. */
export type FetchPriority = 'background' | 'urgent'

/** What a fetch is for. The fetches of one owner wait for each other before those of others do. */
export interface FetchFor {
  readonly id: string
  /** An organization, a writer who is not trusted, or a trusted signer. */
  readonly owner: string
}

interface Waiting {
  start(priority: FetchPriority): void
  drop(): void
}

/** One owner may use this part of the capacity, so that its slow providers leave room for others. */
const PART_OF_OWNER = 4

/**
 * Bounds the concurrent fetches of all signers, separately per priority, so that unresponsive providers do not delay urgent fetches. Owners take
 * turns.
 */
export class FetchQueue {
  readonly #maxPerPriority: number
  readonly #maxPerOwner: number
  readonly #lanes: Record<FetchPriority, Lane> = { background: new Lane(), urgent: new Lane() }

  constructor(maxPerPriority: number) {
    this.#maxPerPriority = maxPerPriority
    this.#maxPerOwner = Math.max(1, Math.floor(maxPerPriority / PART_OF_OWNER))
  }

  /** Runs the task when its priority and its owner have capacity. An id may be queued only once. */
  run(fetch: FetchFor, priority: FetchPriority, task: () => Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      const start = (startedAs: FetchPriority): void => {
        task()
          .finally(() => this.#end(startedAs, fetch.owner))
          .then(resolve, reject)
      }
      this.#lanes[priority].add(fetch, { start, drop: resolve })
      this.#startNext(priority)
    })
  }

  /** Makes a queued task urgent, because a request now waits for it. */
  promote(fetch: FetchFor): void {
    const found = this.#lanes.background.remove(fetch)
    if (!found) return
    this.#lanes.urgent.add(fetch, found)
    this.#startNext('urgent')
  }

  /** Removes a queued task. Its promise resolves. */
  drop(fetch: FetchFor): void {
    for (const lane of Object.values(this.#lanes)) lane.remove(fetch)?.drop()
  }

  #startNext(priority: FetchPriority): void {
    const lane = this.#lanes[priority]
    while (lane.running < this.#maxPerPriority) {
      const next = lane.takeNext(this.#maxPerOwner)
      if (!next) return
      next.start(priority)
    }
  }

  #end(priority: FetchPriority, owner: string): void {
    this.#lanes[priority].end(owner)
    this.#startNext(priority)
  }
}

/** The tasks of one priority, by owner. The owner that started a task last is the last in turn. */
class Lane {
  readonly #waiting = new Map<string, Map<string, Waiting>>()
  readonly #runningOf = new Map<string, number>()
  running = 0

  add({ id, owner }: FetchFor, waiting: Waiting): void {
    const own = this.#waiting.get(owner) ?? new Map<string, Waiting>()
    this.#waiting.set(owner, own.set(id, waiting))
  }

  remove({ id, owner }: FetchFor): Waiting | undefined {
    const own = this.#waiting.get(owner)
    const found = own?.get(id)
    own?.delete(id)
    if (own?.size === 0) this.#waiting.delete(owner)
    return found
  }

  /** Counts the returned task as running, until `end`. */
  takeNext(maxPerOwner: number): Waiting | undefined {
    for (const [owner, own] of this.#waiting) {
      const running = this.#runningOf.get(owner) ?? 0
      const [first] = own
      if (running >= maxPerOwner || !first) continue
      const [id, waiting] = first
      this.remove({ id, owner })
      if (this.#waiting.delete(owner)) this.#waiting.set(owner, own)
      this.#runningOf.set(owner, running + 1)
      this.running++
      return waiting
    }
    return undefined
  }

  end(owner: string): void {
    const running = (this.#runningOf.get(owner) ?? 0) - 1
    if (running > 0) this.#runningOf.set(owner, running)
    else this.#runningOf.delete(owner)
    this.running--
  }
}
