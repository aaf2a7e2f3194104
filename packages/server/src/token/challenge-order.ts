import type { ChallengeError as ChallengeKind } from '@countersign/core'

/** The most specific refusal is reported to the caller: expired before invalid before missing. */
const ORDER: readonly ChallengeKind[] = ['expired', 'invalid', 'missing']

interface Challenged {
  readonly challenge: ChallengeKind
}

/** Sorts refusals, the most specific first. */
export function byChallenge(a: Challenged, b: Challenged): number {
  return ORDER.indexOf(a.challenge) - ORDER.indexOf(b.challenge)
}
