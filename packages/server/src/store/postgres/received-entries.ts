import type { EntryRange } from './notification.ts'

/** Which entries of the change log a node knows: it has made them, or was notified of them. */
export class ReceivedEntries {
  /** Entries up to this one are not missing. */
  #until = 0
  /** Received ones after it. */
  readonly #after = new Set<number>()

  note([first, last]: EntryRange): void {
    for (let entry = Math.max(first, this.#until + 1); entry <= last; entry++) this.#after.add(entry)
  }

  /** Whether every entry up to this one was received. */
  hasAllUntil(entry: number): boolean {
    while (this.#after.delete(this.#until + 1)) this.#until += 1
    return this.#until >= entry
  }

  /** Continues after this entry: nothing up to it counts as missing. */
  continueAfter(entry: number): void {
    this.#until = entry
    for (const received of this.#after) if (received <= entry) this.#after.delete(received)
  }

  clear(): void {
    this.#after.clear()
  }
}
