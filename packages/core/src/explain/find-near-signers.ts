import type { JsonObject } from '../json/json-value.ts'
import { acceptsAudience } from '../signer/signer-audiences.ts'
import type { IndexedSigner } from '../signer/signer-index.ts'
import { audiencesOf } from '../token/jws.ts'
import { findIssuerLikeness, ISSUER_LIKENESSES } from './issuer-likeness.ts'

export const MAX_NEAR_SIGNERS = 20

interface NearSigner extends IndexedSigner {
  readonly enabled: boolean
}

/**
 * At most 20 of the signers that a token with these claims may have been meant for, the nearest first, then in order of id. Signers of
 * exactly this issuer and audience come first and, when one of them is enabled, alone. Reads every signer once: for administrators only.
 */
export function findNearSigners<Signer extends NearSigner>(
  untrustedClaims: JsonObject,
  signers: Iterable<Signer>,
): Signer[] {
  const { iss } = untrustedClaims
  if (typeof iss !== 'string') return []
  const audiences = audiencesOf(untrustedClaims)
  const ranks: Signer[][] = [[], ...ISSUER_LIKENESSES.map(() => [])]
  for (const signer of signers) {
    const likeness = findIssuerLikeness(iss, signer.issuer)
    if (likeness === undefined) continue
    const isExact = likeness === 'same' && acceptsAudience(signer, audiences)
    ranks[isExact ? 0 : 1 + ISSUER_LIKENESSES.indexOf(likeness)]?.push(signer)
  }
  for (const rank of ranks) rank.sort((left, right) => (left.id < right.id ? -1 : left.id > right.id ? 1 : 0))
  const [exact = []] = ranks
  return (exact.some(({ enabled }) => enabled) ? exact : ranks.flat()).slice(0, MAX_NEAR_SIGNERS)
}
