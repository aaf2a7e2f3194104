import { TokenBuckets } from '@countersign/core'
import type { Logger } from 'pino'
import type { Scheduler } from '../platform/scheduler.ts'

/** Fetches that unknown kids may cause at once per budget. */
export const UNKNOWN_KID_BURST = 4

/** Takes a fetch from a budget that all nodes share. Returns whether there was one. */
export type ReserveKeyFetch = (budget: KeyFetchBudget) => Promise<boolean>

export interface KeyFetchBudget {
  /** The endpoint, with the owner whose budget it is. */
  readonly endpoint: string
  readonly burst: number
  /** One fetch is refilled in this time. */
  readonly refillMs: number
}

interface UnknownKidBudgetParts {
  readonly reserve: ReserveKeyFetch
  readonly refillMs: number
  readonly scheduler: Scheduler
  readonly log: Logger
}

const SLOTS = 4_096

/**
 * Limits the fetches that unknown kids cause, per key endpoint, over all workers and nodes. Trusted signers share a budget; each untrusted owner has
 * another, so that it cannot spend theirs on fetches that fail. A bucket in memory is asked first: it bounds the writes of a flood, and stands in
 * for the shared one while the store is unavailable.
 */
export class UnknownKidBudget {
  readonly #parts: UnknownKidBudgetParts
  readonly #own: TokenBuckets

  constructor(parts: UnknownKidBudgetParts) {
    this.#parts = parts
    this.#own = new TokenBuckets({ burst: UNKNOWN_KID_BURST, perSecond: 1000 / parts.refillMs }, SLOTS)
  }

  /** Whether an unknown kid may cause a fetch from this endpoint now. */
  async take(endpointName: string, untrustedOwner: string | undefined): Promise<boolean> {
    const { reserve, refillMs, scheduler, log } = this.#parts
    const endpoint = untrustedOwner === undefined ? endpointName : `${endpointName} for ${untrustedOwner}`
    if (this.#own.take(endpoint, scheduler.elapsedMs()) > 0) return false
    try {
      return await reserve({ endpoint, burst: UNKNOWN_KID_BURST, refillMs })
    } catch (error) {
      log.warn({ err: error }, 'the shared budget of key fetches is unavailable, using that of this process')
      return true
    }
  }
}
