/** The use of a session is written at most this often, so that reads stay reads. The store lags behind by up to as much. */
export const MAX_UNWRITTEN_ACTIVITY_MS = 60_000
