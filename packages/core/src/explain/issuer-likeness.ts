import { findEntraIssuer } from './entra-issuer.ts'
import { isSameButForSpelling, splitIssuer } from './issuer-parts.ts'

/** How near two issuers are, the nearest first. */
export const ISSUER_LIKENESSES = ['same', 'spelling', 'entra-version', 'entra-tenant', 'same-host'] as const

export type IssuerLikeness = (typeof ISSUER_LIKENESSES)[number]

/** As long as the issuer of a signer may be, and some. */
const MAX_LENGTH = 2048

/**
 * In what way an issuer could have been meant by another one; undefined for two that have nothing in common. For hints only: the verify
 * function takes nothing but the very same text.
 */
export function findIssuerLikeness(issuer: string, other: string): IssuerLikeness | undefined {
  if (issuer === other) return 'same'
  if (issuer.length > MAX_LENGTH || other.length > MAX_LENGTH) return undefined
  const [left, right] = [splitIssuer(issuer), splitIssuer(other)]
  if (left.host === '' || right.host === '') return undefined
  if (isSameButForSpelling(left, right)) return 'spelling'
  const [leftEntra, rightEntra] = [findEntraIssuer(left), findEntraIssuer(right)]
  if (leftEntra && rightEntra) return leftEntra.tenant === rightEntra.tenant ? 'entra-version' : 'entra-tenant'
  return left.host === right.host ? 'same-host' : undefined
}
