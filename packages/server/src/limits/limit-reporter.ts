import type { Logger } from 'pino'
import type { Clock } from '../platform/clock.ts'

const WARN_EVERY_MS = 60_000

/** Counts refused requests. */
export interface LimitMetrics {
  rateLimited(limit: string): void
}

export interface LimitReporterParts {
  readonly clock: Clock
  readonly log: Logger
  /** The name of the limit in log, metrics and messages to other processes. */
  readonly limit: string
  readonly metrics?: LimitMetrics
}

/** Reports refusals over a limit: each to the metrics, at most one a minute to the log. */
export class LimitReporter {
  readonly #parts: LimitReporterParts
  #refused = 0
  #warnedAt = Number.NEGATIVE_INFINITY

  constructor(parts: LimitReporterParts) {
    this.#parts = parts
  }

  noteRefusal(key: string): void {
    const { clock, log, metrics, limit } = this.#parts
    const now = clock.now()
    this.#refused++
    metrics?.rateLimited(limit)
    if (Math.abs(now - this.#warnedAt) < WARN_EVERY_MS) return
    log.warn({ limit, key, refused: this.#refused }, 'requests are refused because there were too many')
    this.#warnedAt = now
    this.#refused = 0
  }
}
