import type { AttemptLimits } from './attempt-limits.ts'

/**
 * Runs a change of a caller's own credentials. It counts for the identity, by the kind of change, unless it fails: a thief of a session must not use up the
 * changes by which its owner ends it. Nor by many at once that fail in the end: those of a session take turns, and count only then. Throws TooManyRequests,
 * and SERVER_TOO_MANY_REQUESTS when too many of the session wait.
 */
export function limitOwnChange<Result>(
  { ownChange, ownChangeTurns }: Pick<AttemptLimits, 'ownChange' | 'ownChangeTurns'>,
  { identityId, sessionId, kind }: { readonly identityId: string; readonly sessionId: string; readonly kind: string },
  run: () => Promise<Result>,
): Promise<Result> {
  return ownChangeTurns.run(sessionId, async () => {
    const attempt = ownChange.begin(`${identityId} ${kind}`)
    try {
      return await run()
    } catch (error) {
      attempt.giveBack()
      throw error
    }
  })
}
