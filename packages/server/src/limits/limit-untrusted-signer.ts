import type { StoredSigner } from '../store/signer-row.ts'
import type { AttemptLimits } from './attempt-limits.ts'

/**
 * Counts a change that a token of a signer makes, for a signer that is not trusted: the caller who wrote it last chooses its tokens. Throws TooManyRequests.
 * Not among that caller's own changes, which others with such tokens could use up.
 */
export function limitUntrustedSigner(
  { change }: Pick<AttemptLimits, 'change'>,
  { id, trust }: Pick<StoredSigner, 'id' | 'trust'>,
): void {
  if (!trust.isTrusted) change.begin(`${trust.writtenById ?? id} tokens`)
}
