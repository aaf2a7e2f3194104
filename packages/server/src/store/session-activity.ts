/** The use of a session is written at most this often, so that reads stay reads. The store lags behind by up to as much. */
export const MAX_UNWRITTEN_ACTIVITY_MS = 60_000

/** The stored expiry of a session that has ended whatever the clock says. */
export const EXPIRED_FOR_GOOD = 0

/** Whether a stored session has not ended, even if its latest use is not written yet. */
export function isStoredSessionLive(
  { expiresAt, endsAt }: { readonly expiresAt: number; readonly endsAt: number },
  now: number,
): boolean {
  return now < expiresAt + MAX_UNWRITTEN_ACTIVITY_MS && now < endsAt
}
