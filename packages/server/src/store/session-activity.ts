/** A use of a session is written down at most this often, so that reading stays reading. The store may be as far behind. */
export const MAX_UNWRITTEN_ACTIVITY_MS = 60_000
