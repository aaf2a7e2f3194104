import { hash, randomBytes } from 'node:crypto'

export interface BucketSize {
  /** So many at once … */
  readonly burst: number
  /** … and so many more each second. */
  readonly perSecond: number
}

type Places = readonly [number, number]

const ROWS = 2
const DEFAULT_SLOTS = 65_536
/** Tokens come in fractions, and sums of fractions are not exact. */
const ONE = 1 - 1e-9

/**
 * Token buckets for any number of keys in memory of a fixed size. A key has one place in each of two tables, found by a hash
 * that nobody outside can compute, and is refused only when both are empty. Nothing is ever evicted, so nobody gets a full
 * bucket back by using a million other keys; and who empties a bucket keeps it empty only by going on, so strangers who share
 * both places with him are as rare as the flood is small beside the tables.
 */
export class TokenBuckets {
  readonly #size: BucketSize
  readonly #slots: number
  /** Nothing is spent at first, so that memory is taken only for places that are used. */
  readonly #spent: Float64Array
  readonly #refilledAt: Float64Array
  readonly #secret = randomBytes(16).toString('base64url')
  /** What is taken is mostly given back at once. */
  #last: { readonly key: string; readonly places: Places } | undefined

  constructor(size: BucketSize, slots: number = DEFAULT_SLOTS) {
    this.#size = size
    this.#slots = slots
    this.#spent = new Float64Array(ROWS * slots)
    this.#refilledAt = new Float64Array(ROWS * slots)
  }

  /** Takes one token. Answers 0, or in how many milliseconds there will be one. */
  take(key: string, now: number): number {
    const [first, second] = this.#places(key)
    this.#refill(first, now)
    this.#refill(second, now)
    const most = Math.max(this.#tokensAt(first), this.#tokensAt(second))
    if (most < ONE) return Math.ceil(((ONE - most) / this.#size.perSecond) * 1000)
    this.#spend(first, 1)
    this.#spend(second, 1)
    return 0
  }

  /** Takes so many tokens that somebody else has given out, or as many as there are; fewer than none gives back. */
  spend(key: string, count: number, now: number): void {
    for (const place of this.#places(key)) {
      this.#refill(place, now)
      this.#spend(place, count)
    }
  }

  /** Gives back one that was taken. */
  giveBack(key: string): void {
    for (const place of this.#places(key)) this.#spend(place, -1)
  }

  #places(key: string): Places {
    if (this.#last?.key === key) return this.#last.places
    const digest = hash('sha256', this.#secret + key, 'buffer')
    const places: Places = [digest.readUInt32LE(0) % this.#slots, this.#slots + (digest.readUInt32LE(4) % this.#slots)]
    this.#last = { key, places }
    return places
  }

  #tokensAt(place: number): number {
    return this.#size.burst - (this.#spent[place] ?? 0)
  }

  #refill(place: number, now: number): void {
    // A clock that is set back refills nothing, and must not stop the refilling for as long as that.
    const passed = Math.max(0, now - (this.#refilledAt[place] ?? 0))
    this.#refilledAt[place] = now
    this.#spend(place, (-passed / 1000) * this.#size.perSecond)
  }

  #spend(place: number, tokens: number): void {
    this.#spent[place] = Math.min(this.#size.burst, Math.max(0, (this.#spent[place] ?? 0) + tokens))
  }
}
