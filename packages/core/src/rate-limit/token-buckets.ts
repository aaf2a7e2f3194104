import { hash, randomBytes } from 'node:crypto'

export interface BucketSize {
  /** The capacity of a bucket. */
  readonly burst: number
  /** Tokens that are refilled per second. */
  readonly perSecond: number
  /** How many tokens can be spent that a bucket does not have; none by default. They are refilled first. */
  readonly debt?: number
}

type BucketPair = readonly [number, number]

const TABLES = 2
const DEFAULT_SLOTS = 65_536
/** Slightly less than one token, because sums of fractions are not exact. */
const ONE = 1 - 1e-9

/** Of this process: clients cannot choose keys that share a bucket. */
const SECRET = randomBytes(16).toString('base64url')

/**
 * Token buckets for any number of keys in memory of a fixed size. A key has one bucket in each of two tables, chosen by a keyed hash, and is
 * refused only when both are empty. Nothing is ever evicted, so a client does not get a full bucket back by using a million other keys. A bucket
 * stays empty only while requests continue, so another client is refused only when it shares both buckets with a current flood, which is rare
 * while the flood has few keys compared to the tables.
 */
export class TokenBuckets {
  readonly #size: BucketSize
  readonly #slots: number
  /** Spent tokens instead of remaining ones: all zero at first, so that the system allocates memory only for used buckets. */
  #spent = new Float64Array(0)
  #refilledAt = new Float64Array(0)
  /** Cached, because a token that is taken is usually given back at once. */
  #last: { readonly key: string; readonly buckets: BucketPair } | undefined

  constructor(size: BucketSize, slots: number = DEFAULT_SLOTS) {
    this.#size = size
    this.#slots = slots
  }

  /** Takes one token. Returns 0, or the milliseconds until there is one. */
  take(key: string, now: number): number {
    const waitMs = this.waitFor(key, ONE, now)
    if (waitMs === 0) for (const bucket of this.#bucketsOf(key)) this.#spend(bucket, 1)
    return waitMs
  }

  /** Takes none. Returns 0 when there are `count` tokens, or the milliseconds until then. */
  waitFor(key: string, count: number, now: number): number {
    const [first, second] = this.#bucketsOf(key)
    this.#refill(first, now)
    this.#refill(second, now)
    const most = Math.max(this.#tokensIn(first), this.#tokensIn(second))
    return most < count ? Math.ceil(((count - most) / this.#size.perSecond) * 1000) : 0
  }

  /** Takes up to `count` tokens that another process has already granted. A negative count gives tokens back. */
  spend(key: string, count: number, now: number): void {
    for (const bucket of this.#bucketsOf(key)) {
      this.#refill(bucket, now)
      this.#spend(bucket, count)
    }
  }

  /** Gives one token back. */
  giveBack(key: string): void {
    for (const bucket of this.#bucketsOf(key)) this.#spend(bucket, -1)
  }

  #bucketsOf(key: string): BucketPair {
    if (this.#last?.key === key) return this.#last.buckets
    if (this.#spent.length === 0) this.#allocate()
    const digest = hash('sha256', SECRET + key, 'buffer')
    const [first, second] = [digest.readUInt32LE(0) % this.#slots, digest.readUInt32LE(4) % this.#slots]
    const buckets: BucketPair = [first, this.#slots + second]
    this.#last = { key, buckets }
    return buckets
  }

  /** At the first use: many limits are never used, and V8 counts the memory as if it were. */
  #allocate(): void {
    this.#spent = new Float64Array(TABLES * this.#slots)
    this.#refilledAt = new Float64Array(TABLES * this.#slots)
  }

  #tokensIn(bucket: number): number {
    return this.#size.burst - (this.#spent[bucket] ?? 0)
  }

  #refill(bucket: number, now: number): void {
    // A clock that is set back refills nothing once, but does not stop the refilling.
    const passed = Math.max(0, now - (this.#refilledAt[bucket] ?? 0))
    this.#refilledAt[bucket] = now
    this.#spend(bucket, (-passed / 1000) * this.#size.perSecond)
  }

  #spend(bucket: number, tokens: number): void {
    const { burst, debt = 0 } = this.#size
    this.#spent[bucket] = Math.min(burst + debt, Math.max(0, (this.#spent[bucket] ?? 0) + tokens))
  }
}
