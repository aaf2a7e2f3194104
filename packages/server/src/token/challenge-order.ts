import type { ChallengeError as ChallengeKind } from '@countersign/core'

/** Of several refusals the caller learns one: that a token has expired says more than that one is invalid, and that more than none. */
const ORDER: readonly ChallengeKind[] = ['expired', 'invalid', 'missing']

interface Challenged {
  readonly challenge: ChallengeKind
}

/** Sorts refusals, the one that says most first. */
export function byChallenge(a: Challenged, b: Challenged): number {
  return ORDER.indexOf(a.challenge) - ORDER.indexOf(b.challenge)
}
