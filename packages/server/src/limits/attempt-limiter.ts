import { type BucketSize, TokenBuckets } from '@countersign/core'
import type { Logger } from 'pino'
import type { Clock } from '../platform/clock.ts'
import type { AttemptSharing } from './attempt-sharing.ts'
import { TooManyRequests } from './too-many-requests.ts'

/** Limits failed attempts. It counts for the whole node: where several processes serve one, they share the counts. */
export interface AttemptLimiter {
  /** Counts an attempt before any work is done for it. Throws `TooManyRequests` when too many have failed. */
  begin(who: string): Attempt
}

/** An attempt that counts as failed until it is given back. */
export interface Attempt {
  /** It has succeeded, or was never decided: it no longer counts. */
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
  /** The name of the limit, for log, metrics and the other processes. */
  readonly what: string
  readonly metrics?: LimitMetrics
  /** With the other processes of this node, where there are any. */
  readonly sharing?: AttemptSharing | undefined
}

/** A limiter with a token bucket for each key. */
export class BucketLimiter implements AttemptLimiter {
  readonly #parts: BucketLimiterParts
  readonly #buckets: TokenBuckets
  #refused = 0
  #warnedAt = Number.NEGATIVE_INFINITY

  constructor(size: BucketSize, parts: BucketLimiterParts) {
    this.#parts = parts
    this.#buckets = new TokenBuckets(size)
    parts.sharing?.onNoted(parts.what, (who, count) => this.#buckets.spend(who, count, parts.clock.now()))
  }

  begin(who: string): Attempt {
    const { clock, sharing, what } = this.#parts
    const now = clock.now()
    const waitMs = this.#buckets.take(who, now)
    if (waitMs > 0) {
      this.#noteRefusal(who, now)
      throw new TooManyRequests(waitMs)
    }
    sharing?.note(what, who, 1)
    return { giveBack: () => this.#giveBack(who) }
  }

  #giveBack(who: string): void {
    const { sharing, what } = this.#parts
    this.#buckets.giveBack(who)
    sharing?.note(what, who, -1)
  }

  #noteRefusal(who: string, now: number): void {
    const { log, metrics, what } = this.#parts
    this.#refused++
    metrics?.rateLimited(what)
    if (Math.abs(now - this.#warnedAt) < WARN_EVERY_MS) return
    log.warn({ limit: what, who, refused: this.#refused }, 'attempts are refused since too many have failed')
    this.#warnedAt = now
    this.#refused = 0
  }
}
