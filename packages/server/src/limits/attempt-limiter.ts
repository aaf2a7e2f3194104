import { type BucketSize, TokenBuckets } from '@countersign/core'
import type { AttemptSharing } from './attempt-sharing.ts'
import { LimitReporter, type LimitReporterParts } from './limit-reporter.ts'
import { TooManyRequests } from './too-many-requests.ts'

/** Limits failed attempts for the whole node: its worker processes share the counts. */
export interface AttemptLimiter {
  /** Counts an attempt before any work is done for it. Throws `TooManyRequests` after too many failures. */
  begin(key: string): Attempt
}

/** Limits requests by the work that they cause. */
export interface WorkLimiter extends AttemptLimiter {
  /** Counts work before it is done. Throws `TooManyRequests` while there is too much, whatever it costs. */
  charge(key: string, cost: number): void
  /** Counts work that is done. */
  spend(key: string, cost: number): void
}

/** An attempt that counts as failed until it is given back. */
export interface Attempt {
  /** Call when the attempt succeeded or had no result: it no longer counts. */
  giveBack(): void
}

export const UNCOUNTED: Attempt = { giveBack: () => {} }
export const UNLIMITED: WorkLimiter = { begin: () => UNCOUNTED, charge: () => {}, spend: () => {} }

interface BucketLimiterParts extends LimitReporterParts {
  /** Shares the counts with the other processes of this node, if any. */
  readonly sharing?: AttemptSharing | undefined
}

/** A limiter with one token bucket per key. */
export class BucketLimiter implements WorkLimiter {
  readonly #parts: BucketLimiterParts
  readonly #buckets: TokenBuckets
  readonly #reporter: LimitReporter

  constructor(size: BucketSize, parts: BucketLimiterParts) {
    this.#parts = parts
    this.#reporter = new LimitReporter(parts)
    this.#buckets = new TokenBuckets(size)
    parts.sharing?.onNoted(parts.limit, (key, count) => this.#buckets.spend(key, count, parts.clock.now()))
  }

  begin(key: string): Attempt {
    const { clock, sharing, limit } = this.#parts
    this.#checkWait(key, this.#buckets.take(key, clock.now()))
    sharing?.note(limit, key, 1)
    return { giveBack: () => this.#giveBack(key) }
  }

  charge(key: string, cost: number): void {
    this.#checkWait(key, this.#buckets.waitFor(key, 0, this.#parts.clock.now()))
    this.spend(key, cost)
  }

  spend(key: string, cost: number): void {
    const { clock, sharing, limit } = this.#parts
    this.#buckets.spend(key, cost, clock.now())
    sharing?.note(limit, key, cost)
  }

  #checkWait(key: string, waitMs: number): void {
    if (waitMs === 0) return
    this.#reporter.noteRefusal(key)
    throw new TooManyRequests(waitMs)
  }

  #giveBack(key: string): void {
    const { sharing, limit } = this.#parts
    this.#buckets.giveBack(key)
    sharing?.note(limit, key, -1)
  }
}
