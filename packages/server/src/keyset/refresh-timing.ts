import type { Settings } from '../platform/settings/index.ts'

/** The bounds of the life of fetched keys, in milliseconds. */
export interface RefreshTiming {
  readonly minRefreshMs: number
  readonly maxRefreshMs: number
  /** Unknown kids cause at most one fetch in this time. */
  readonly unknownKidMs: number
  /** A request waits for a fetch no longer than this. */
  readonly maxWaitMs: number
  /** While the provider is down, the last good keys are used for this time. */
  readonly maxStaleMs: number
  readonly staleWarningMs: number
}

/** A failed fetch is not repeated before this, for any caller. */
export const MIN_RETRY_MS = 5_000
const MAX_RETRY_MS = 60_000
/** An empty set counts only when it is fetched again after this time. */
export const EMPTY_SET_MS = 60_000
/** The node that has created or changed a signer fetches its keys; the others wait this time for that, and up to twice. */
export const OTHER_NODE_MS = 2_000
/** Administrators may refresh at any time, but no more often than this. */
export const ADMIN_REFRESH_MS = 1_000

/** Refreshes fall between 80 and 96 % of the time that is due, which leaves time for the fetch itself. */
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

/** When to fetch again after a success; `random` is from 0 to 1. */
export function refreshDelayMs(
  freshForMs: number | undefined,
  { minRefreshMs, maxRefreshMs }: Bounds,
  random: number,
): number {
  const wanted = Math.min(freshForMs ?? maxRefreshMs, maxRefreshMs)
  const earliest = Math.max(wanted * EARLIEST, minRefreshMs)
  return Math.min(earliest * (1 + JITTER * random), Math.max(maxRefreshMs, minRefreshMs))
}

/** When to try again after so many failures in a row. */
export function retryDelayMs(failures: number, random: number): number {
  const doubled = Math.min(MIN_RETRY_MS * 2 ** Math.min(failures - 1, 10), MAX_RETRY_MS)
  return doubled * (1 + JITTER * random)
}
