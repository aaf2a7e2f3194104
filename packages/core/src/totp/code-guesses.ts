/** The wrong one-time codes of an identity. */
export interface CodeGuesses {
  /** The times of the latest wrong codes; fewer than the number that locks. */
  readonly wrongAt: readonly number[]
  /** Until when every code is refused. */
  readonly lockedUntil: number
  /** The number of locks in a row. */
  readonly locks: number
}

export const NO_CODE_GUESSES: CodeGuesses = { wrongAt: [], lockedUntil: 0, locks: 0 }

const MAX_WRONG = 10
const MINUTE_MS = 60_000
const WRONG_WITHIN_MS = 5 * MINUTE_MS
const FIRST_LOCK_MS = 5 * MINUTE_MS
const MAX_LOCK_MS = 8 * 60 * MINUTE_MS
/** Locks this long after the end of the last one are not in a row with it. */
const FORGET_LOCKS_MS = 24 * 60 * MINUTE_MS

/**
 * Counts a wrong code. The tenth within five minutes locks all codes for five minutes; each further lock in a row takes twice as long, up to
 * eight hours.
 */
export function addWrongCode({ wrongAt, lockedUntil, locks }: CodeGuesses, now: number): CodeGuesses {
  const inARow = now < lockedUntil + FORGET_LOCKS_MS ? locks : 0
  const wrong = [...wrongAt.filter((at) => at > now - WRONG_WITHIN_MS), now]
  if (wrong.length < MAX_WRONG) return { wrongAt: wrong, lockedUntil, locks: inARow }
  const lockMs = Math.min(FIRST_LOCK_MS * 2 ** inARow, MAX_LOCK_MS)
  return { wrongAt: [], lockedUntil: now + lockMs, locks: inARow + 1 }
}
