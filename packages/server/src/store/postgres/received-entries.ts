import type { EntryRange } from './notification.ts'

/** Which entries of the change log a node knows: it has made them, or was notified of them. */
export class ReceivedEntries {
  /** Entries up to this one are not missing, except those passed over. */
  #until = 0
  /** Received ones after it. */
  readonly #after = new Set<number>()
  /** Numbers before it without an entry, and when that was found: a write was rolled back, or is not committed yet. */
  readonly #passedOver = new Map<number, number>()

  note([first, last]: EntryRange): void {
    for (let entry = first; entry <= last; entry++) {
      if (entry > this.#until) this.#after.add(entry)
      else this.#passedOver.delete(entry)
    }
  }

  has(entry: number): boolean {
    return entry > this.#until ? this.#after.has(entry) : !this.#passedOver.has(entry)
  }

  /** The entries up to this one that were not received, also those passed over: `limit` at most. */
  missingUntil(entry: number, limit: number): number[] {
    while (this.#after.delete(this.#until + 1)) this.#until += 1
    const missing = [...this.#passedOver.keys()].slice(0, limit)
    for (let number = this.#until + 1; number <= entry && missing.length < limit; number++) {
      if (!this.#after.has(number)) missing.push(number)
    }
    return missing
  }

  /** Continues after this entry. The numbers up to it that are not received have no entry at this time. */
  passOver(entry: number, now: number): void {
    for (let number = this.#until + 1; number <= entry; number++) {
      if (!this.#after.delete(number)) this.#passedOver.set(number, now)
    }
    this.#until = Math.max(this.#until, entry)
  }

  /** Forgets numbers that were passed over at this time or before. */
  forgetPassedOver(until: number): void {
    for (const [number, at] of this.#passedOver) if (at <= until) this.#passedOver.delete(number)
  }

  /** Continues after this entry: nothing up to it counts as missing. */
  continueAfter(entry: number): void {
    this.#until = entry
    this.#passedOver.clear()
    for (const received of this.#after) if (received <= entry) this.#after.delete(received)
  }

  clear(): void {
    this.#after.clear()
    this.#passedOver.clear()
  }
}
