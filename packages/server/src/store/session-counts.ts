import { BoundedCache } from '@countersign/core'

const MAX_KNOWN = 20_000

/**
 * How many sessions identities have, for the only writer of a database: to count a thousand for each new one takes longer than
 * all the rest of a sign-in. Whoever takes sessions away forgets the number, and whatever is undone forgets them all.
 */
export class SessionCounts {
  readonly #counts = new BoundedCache<string, number>(MAX_KNOWN)

  find(identityId: string): number | undefined {
    return this.#counts.get(identityId)
  }

  note(identityId: string, count: number): void {
    this.#counts.set(identityId, count)
  }

  forget(identityId: string): void {
    this.#counts.delete(identityId)
  }

  forgetAll(): void {
    this.#counts.clear()
  }
}
