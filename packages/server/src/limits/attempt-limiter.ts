import { type BucketSize, TokenBuckets } from '@countersign/core'
import type { Logger } from 'pino'
import type { Clock } from '../platform/clock.ts'
import type { AttemptSharing } from './attempt-sharing.ts'
import { TooManyRequests } from './too-many-requests.ts'

/** Limits failed attempts for the whole node: its worker processes share the counts. */
export interface AttemptLimiter {
  /** Counts an attempt before any work is done for it. Throws `TooManyRequests` after too many failures. */
  begin(key: string): Attempt
}

/** An attempt that counts as failed until it is given back. */
export interface Attempt {
  /** Call when the attempt succeeded or had no result: it no longer counts. */
  giveBack(): void
}

export const UNCOUNTED: Attempt = { giveBack: () => {} }
export const UNLIMITED: AttemptLimiter = { begin: () => UNCOUNTED }

const WARN_EVERY_MS = 60_000

/** Counts refused requests. */
export interface LimitMetrics {
  rateLimited(limit: string): void
}

interface BucketLimiterParts {
  readonly clock: Clock
  readonly log: Logger
  /** The name of the limit in log, metrics and messages to other processes. */
  readonly limit: string
  readonly metrics?: LimitMetrics
  /** Shares the counts with the other processes of this node, if any. */
  readonly sharing?: AttemptSharing | undefined
}

/** A limiter with one token bucket per key. */
export class BucketLimiter implements AttemptLimiter {
  readonly #parts: BucketLimiterParts
  readonly #buckets: TokenBuckets
  #refused = 0
  #warnedAt = Number.NEGATIVE_INFINITY

  constructor(size: BucketSize, parts: BucketLimiterParts) {
    this.#parts = parts
    this.#buckets = new TokenBuckets(size)
    parts.sharing?.onNoted(parts.limit, (key, count) => this.#buckets.spend(key, count, parts.clock.now()))
  }

  begin(key: string): Attempt {
    const { clock, sharing, limit } = this.#parts
    const now = clock.now()
    const waitMs = this.#buckets.take(key, now)
    if (waitMs > 0) {
      this.#noteRefusal(key, now)
      throw new TooManyRequests(waitMs)
    }
    sharing?.note(limit, key, 1)
    return { giveBack: () => this.#giveBack(key) }
  }

  #giveBack(key: string): void {
    const { sharing, limit } = this.#parts
    this.#buckets.giveBack(key)
    sharing?.note(limit, key, -1)
  }

  #noteRefusal(key: string, now: number): void {
    const { log, metrics, limit } = this.#parts
    this.#refused++
    metrics?.rateLimited(limit)
    if (Math.abs(now - this.#warnedAt) < WARN_EVERY_MS) return
    log.warn({ limit, key, refused: this.#refused }, 'requests are refused because there were too many')
    this.#warnedAt = now
    this.#refused = 0
  }
}
