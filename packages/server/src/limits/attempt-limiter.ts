import { type BucketSize, TokenBuckets } from '@countersign/core'
import type { Logger } from 'pino'
import type { Clock } from '../platform/clock.ts'
import type { AttemptSharing } from './attempt-sharing.ts'
import { TooManyRequests } from './too-many-requests.ts'

/** Limits how many attempts fail. It counts for the whole node: where several processes serve one, they share what is behind this. */
export interface AttemptLimiter {
  /** Counts an attempt before any work is done for it. Throws `TooManyRequests` when there have been too many. */
  begin(who: string): Attempt
}

/** An attempt that counts as failed until it is given back. */
export interface Attempt {
  /** It has succeeded, or nobody has judged it: it counts no longer. */
  giveBack(): void
}

export const UNCOUNTED: Attempt = { giveBack: () => {} }
const UNLIMITED: AttemptLimiter = { begin: () => UNCOUNTED }

const TOLD_EVERY_MS = 60_000

/** Counts refused requests. */
export interface LimitMetrics {
  rateLimited(limit: string): void
}

interface AttemptLimiterParts {
  readonly clock: Clock
  readonly log: Logger
  /** What is limited, for the log. */
  readonly what: string
  readonly metrics?: LimitMetrics
  /** With the other processes of this node, where there are any. */
  readonly sharing?: AttemptSharing | undefined
}

/** A burst of 0 means no limit. */
export function createAttemptLimiter(
  size: BucketSize,
  { clock, log, what, metrics, sharing }: AttemptLimiterParts,
): AttemptLimiter {
  if (size.burst === 0) return UNLIMITED
  const buckets = new TokenBuckets(size)
  let refused = 0
  let toldAt = Number.NEGATIVE_INFINITY
  sharing?.onNoted(what, (who, count) => buckets.spend(who, count, clock.now()))

  const tell = (who: string, now: number): void => {
    refused++
    metrics?.rateLimited(what)
    if (Math.abs(now - toldAt) < TOLD_EVERY_MS) return
    log.warn({ limit: what, who, refused }, 'attempts are refused since too many have failed')
    toldAt = now
    refused = 0
  }

  return {
    begin: (who) => {
      const now = clock.now()
      const waitMs = buckets.take(who, now)
      if (waitMs > 0) {
        tell(who, now)
        throw new TooManyRequests(waitMs)
      }
      sharing?.note(what, who, 1)
      return {
        giveBack: () => {
          buckets.giveBack(who)
          sharing?.note(what, who, -1)
        },
      }
    },
  }
}
