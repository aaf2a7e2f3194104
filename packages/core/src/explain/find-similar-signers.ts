import type { JsonObject } from '../json/json-value.ts'
import { acceptsAudience } from '../signer/signer-audiences.ts'
import type { IndexedSigner } from '../signer/signer-index.ts'
import { audiencesOf } from '../token/jws.ts'
import { findIssuerSimilarity, ISSUER_SIMILARITIES } from './issuer-similarity.ts'

export const MAX_SIMILAR_SIGNERS = 20

interface ComparedSigner extends IndexedSigner {
  readonly enabled: boolean
}

/**
 * Returns at most 20 signers that a token with these claims may be intended for, the most similar first, then by id. Signers with exactly this
 * issuer and audience come first. When one of those is enabled, only they are returned. Compares every signer: for administrators only.
 */
export function findSimilarSigners<Signer extends ComparedSigner>(
  untrustedClaims: JsonObject,
  signers: Iterable<Signer>,
): Signer[] {
  const { iss } = untrustedClaims
  if (typeof iss !== 'string') return []
  const audiences = audiencesOf(untrustedClaims)
  const ranks: Signer[][] = [[], ...ISSUER_SIMILARITIES.map(() => [])]
  for (const signer of signers) {
    const similarity = findIssuerSimilarity(iss, signer.issuer)
    if (similarity === undefined) continue
    const isExact = similarity === 'same' && acceptsAudience(signer, audiences)
    ranks[isExact ? 0 : 1 + ISSUER_SIMILARITIES.indexOf(similarity)]?.push(signer)
  }
  for (const rank of ranks) rank.sort((left, right) => (left.id < right.id ? -1 : left.id > right.id ? 1 : 0))
  const [exact = []] = ranks
  return (exact.some(({ enabled }) => enabled) ? exact : ranks.flat()).slice(0, MAX_SIMILAR_SIGNERS)
}
