import type { Settings } from '../platform/settings/index.ts'

/** Time limits for fetched keys, in milliseconds. */
export interface RefreshTiming {
  readonly minRefreshMs: number
  readonly maxRefreshMs: number
  /** After a burst, unknown kids cause one fetch per interval and endpoint. */
  readonly unknownKidMs: number
  /** Longest time that a request waits for a fetch. */
  readonly maxWaitMs: number
  /** While the provider is down, the last valid keys are used for this time. */
  readonly maxStaleMs: number
  readonly staleWarningMs: number
}

/** A failed fetch is not repeated earlier, for any caller. */
export const MIN_RETRY_MS = 5_000
const MAX_RETRY_MS = 60_000
/** An empty key set is accepted only when it is fetched again after this time. */
export const EMPTY_SET_MS = 60_000
/** The node that created or changed a signer fetches its keys. Other nodes wait between one and two times this long. */
export const OTHER_NODE_MS = 2_000
/** Minimum time between two refreshes by administrators. */
export const ADMIN_REFRESH_MS = 1_000

/** Refreshes happen after 80 to 96 % of the freshness time, which leaves time for the fetch. */
const EARLIEST = 0.8
const JITTER = 0.2
const QUEUE_MS = 1_000

export function refreshTiming(jwks: Settings['jwks']): RefreshTiming {
  return {
    minRefreshMs: jwks.minRefreshSeconds * 1000,
    maxRefreshMs: Math.max(jwks.minRefreshSeconds, jwks.maxRefreshSeconds) * 1000,
    unknownKidMs: jwks.unknownKidSeconds * 1000,
    maxWaitMs: jwks.fetchSeconds * 1000 + QUEUE_MS,
    maxStaleMs: jwks.maxStaleSeconds * 1000,
    staleWarningMs: jwks.staleWarningSeconds * 1000,
  }
}

type Bounds = Pick<RefreshTiming, 'minRefreshMs' | 'maxRefreshMs'>

/** Delay until the next fetch after a success. `random` is from 0 to 1. */
export function refreshDelayMs(
  freshForMs: number | undefined,
  { minRefreshMs, maxRefreshMs }: Bounds,
  random: number,
): number {
  const wanted = Math.min(freshForMs ?? maxRefreshMs, maxRefreshMs)
  const earliest = Math.max(wanted * EARLIEST, minRefreshMs)
  return Math.min(earliest * (1 + JITTER * random), Math.max(maxRefreshMs, minRefreshMs))
}

/** Delay until the next fetch after this many consecutive failures. `random` is from 0 to 1. */
export function retryDelayMs(failures: number, random: number): number {
  const doubled = Math.min(MIN_RETRY_MS * 2 ** Math.min(failures - 1, 10), MAX_RETRY_MS)
  return doubled * (1 + JITTER * random)
}
