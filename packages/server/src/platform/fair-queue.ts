import { AppError } from '@countersign/core'

interface Waiting {
  readonly since: number
  start(): void
  reject(error: Error): void
}

interface FairQueueOptions {
  /** How much work runs at the same time. */
  readonly atOnce: number
  /** How much of it may be for one key; by default all. */
  readonly perKey?: number
  /** With more work of one key waiting, further work for it fails with SERVER_TOO_MANY_REQUESTS. */
  readonly maxWaiting: number
  /** Work that has waited longer when its turn comes fails with TIMEOUT: its client may have gone. */
  readonly maxWaitMs?: number
}

interface RunOptions {
  /** Work that still waits when it aborts is dropped, and rejects with its reason. */
  readonly signal?: AbortSignal | undefined
  /** When the wait began, by `performance.now()`; now unless given. */
  readonly since?: number
}

/** Runs asynchronous work, a limited amount at a time. Keys take turns, so that one with much work does not delay the others. */
export class FairQueue {
  readonly #atOnce: number
  readonly #perKey: number
  readonly #maxWaiting: number
  readonly #maxWaitMs: number
  /** By key, in the order of their turns. */
  readonly #waiting = new Map<string, Waiting[]>()
  readonly #runningOf = new Map<string, number>()
  #running = 0

  constructor({ atOnce, perKey = atOnce, maxWaiting, maxWaitMs = Number.POSITIVE_INFINITY }: FairQueueOptions) {
    this.#atOnce = atOnce
    this.#perKey = perKey
    this.#maxWaiting = maxWaiting
    this.#maxWaitMs = maxWaitMs
  }

  async run<Result>(
    key: string,
    work: () => Promise<Result>,
    { signal, since = performance.now() }: RunOptions = {},
  ): Promise<Result> {
    signal?.throwIfAborted()
    if (this.#canRun(key)) this.#begin(key)
    else await this.#wait(key, signal)
    try {
      if (performance.now() - since > this.#maxWaitMs) throw new AppError('TIMEOUT')
      return await work()
    } finally {
      this.#end(key)
    }
  }

  /** Rejects the work that has waited for at least this long. */
  rejectOlderThan(ms: number, error: Error): void {
    const latest = performance.now() - ms
    for (const key of [...this.#waiting.keys()]) this.#reject(key, ({ since }) => since <= latest, error)
  }

  #reject(key: string, isRejected: (waiting: Waiting) => boolean, error: Error): void {
    const waiting = this.#waiting.get(key) ?? []
    const rest = waiting.filter((one) => !isRejected(one))
    if (rest.length > 0) this.#waiting.set(key, rest)
    else this.#waiting.delete(key)
    for (const one of waiting) if (isRejected(one)) one.reject(error)
  }

  #canRun(key: string): boolean {
    return this.#running < this.#atOnce && (this.#runningOf.get(key) ?? 0) < this.#perKey
  }

  #wait(key: string, signal: AbortSignal | undefined): Promise<void> {
    const waiting = this.#waiting.get(key) ?? []
    if (waiting.length >= this.#maxWaiting) throw new AppError('SERVER_TOO_MANY_REQUESTS')
    this.#waiting.set(key, waiting)
    return new Promise((resolve, reject) => {
      const own = { since: performance.now(), start: resolve, reject }
      waiting.push(own)
      signal?.addEventListener('abort', () => this.#reject(key, (one) => one === own, signal.reason), { once: true })
    })
  }

  #begin(key: string): void {
    this.#running += 1
    this.#runningOf.set(key, (this.#runningOf.get(key) ?? 0) + 1)
  }

  #end(key: string): void {
    this.#running -= 1
    const left = (this.#runningOf.get(key) ?? 1) - 1
    if (left > 0) this.#runningOf.set(key, left)
    else this.#runningOf.delete(key)
    // Keys that came while it ran are before it in turn.
    this.#putLast(key)
    this.#startNext()
  }

  #putLast(key: string): void {
    const waiting = this.#waiting.get(key)
    if (!waiting) return
    this.#waiting.delete(key)
    if (waiting.length > 0) this.#waiting.set(key, waiting)
  }

  #startNext(): void {
    for (const [key, waiting] of this.#waiting) {
      if (!this.#canRun(key)) continue
      const next = waiting.shift()
      this.#putLast(key)
      this.#begin(key)
      next?.start()
      return
    }
  }
}
