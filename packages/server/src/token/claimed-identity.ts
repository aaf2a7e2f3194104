import { displayValue, type UntrustedJws } from '@countersign/core'
import type { SimilarSignerVerdict } from './similar-signers.ts'

/**
 * The identity that a token names: the claim of the first signer that accepts it, else of the first in which it finds one, else `sub`. For
 * administrators only, since nothing is verified when no signer accepts the token.
 */
export function claimedIdentityOf(
  { untrustedClaims: { sub } }: UntrustedJws,
  similar: readonly SimilarSignerVerdict[],
): string | null {
  for (const { verdict } of similar) if (verdict.accepted) return verdict.token.identityClaim
  for (const { verdict } of similar) {
    const claim = verdict.checks.find(({ check, pass }) => check === 'identityClaim' && pass)
    if (claim) return claim.received
  }
  return typeof sub === 'string' ? displayValue(sub) : null
}
