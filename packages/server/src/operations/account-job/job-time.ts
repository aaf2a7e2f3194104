const MINUTE_MS = 60_000

/** A job at work for longer than this was interrupted: its process has ended. */
export const JOB_LEASE_MS = 10 * MINUTE_MS
/** The requests of a job are aborted after this, well before its lease ends. */
export const JOB_DEADLINE_MS = 2 * MINUTE_MS
/** A failed job that leaves nothing at the provider is shown for a week. */
export const JOB_SHOWN_MS = 7 * 24 * 60 * MINUTE_MS
const MAX_DELAY_MS = 60 * MINUTE_MS

/** How long to wait after a number of attempts: 1, 2, 4 … 60 minutes. */
export function retryDelayMs(attempts: number): number {
  return Math.min(MAX_DELAY_MS, MINUTE_MS * 2 ** Math.min(attempts, 10))
}
