import { findEntraIssuer } from './entra-issuer.ts'
import { isSameButForSpelling, splitIssuer } from './issuer-parts.ts'

/** How similar two issuers are, the most similar first. */
export const ISSUER_SIMILARITIES = ['same', 'spelling', 'entra-version', 'entra-tenant', 'same-host'] as const

export type IssuerSimilarity = (typeof ISSUER_SIMILARITIES)[number]

/** Longer than the issuer of any signer. */
const MAX_LENGTH = 2048

/**
 * Returns how similar two issuers are, undefined when they are not. For hints only: `verifyToken` accepts nothing but the identical
 * string.
 */
export function findIssuerSimilarity(issuer: string, other: string): IssuerSimilarity | undefined {
  if (issuer === other) return 'same'
  if (issuer.length > MAX_LENGTH || other.length > MAX_LENGTH) return undefined
  const [left, right] = [splitIssuer(issuer), splitIssuer(other)]
  if (left.host === '' || right.host === '') return undefined
  if (isSameButForSpelling(left, right)) return 'spelling'
  const [leftEntra, rightEntra] = [findEntraIssuer(left), findEntraIssuer(right)]
  if (leftEntra && rightEntra) return leftEntra.tenant === rightEntra.tenant ? 'entra-version' : 'entra-tenant'
  return left.host === right.host ? 'same-host' : undefined
}
