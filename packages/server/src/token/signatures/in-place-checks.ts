import { settleInPlace, type WaitingCheck } from './waiting-check.ts'

/** Checks signatures on this thread, one batch in each turn of the event loop, so that requests go on in between. */
export class InPlaceChecks {
  readonly #batches: WaitingCheck[][] = []
  #isScheduled = false

  add(batch: WaitingCheck[]): void {
    this.#batches.push(batch)
    this.#schedule()
  }

  #schedule(): void {
    if (this.#isScheduled || this.#batches.length === 0) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      settleInPlace(this.#batches.shift() ?? [])
      this.#schedule()
    })
  }
}
