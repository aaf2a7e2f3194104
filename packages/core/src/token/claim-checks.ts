import { claimTextProblem } from '../claim/claim-text.ts'
import { findUnmetClaim } from '../claim/required-claims.ts'
import { selectClaim } from '../claim/selector.ts'
import { isJsonObject, type JsonObject } from '../json/json-value.ts'
import { acceptsAudience } from '../signer/signer-audiences.ts'
import type { CheckOutcome } from './check-outcome.ts'
import { audiencesOf } from './jws.ts'
import { shown } from './verdict.ts'
import type { VerifySigner } from './verify-signer.ts'

const MAX_IDENTITY_CLAIM_LENGTH = 512

/** Exact: no slash, case or port is folded. */
export function checkIssuer({ iss }: JsonObject, signer: VerifySigner): CheckOutcome {
  return {
    expected: signer.issuer,
    received: () => shown(iss),
    refusal: iss === signer.issuer ? undefined : 'issuer-mismatch',
  }
}

/** One of the signer's audiences, exactly; a token may name several. */
export function checkAudience(claims: JsonObject, signer: VerifySigner): CheckOutcome {
  const { audience, additionalAudiences } = signer
  if (audience === null) return { expected: 'none, by the rules of the provider', received: () => shown(claims.aud) }
  const fits = acceptsAudience({ audience, additionalAudiences }, audiencesOf(claims))
  return {
    expected: additionalAudiences.length === 0 ? audience : () => describeAudiences(audience, additionalAudiences),
    received: () => shown(claims.aud),
    refusal: fits ? undefined : 'audience-mismatch',
  }
}

/**
 * What the signer requires (`requiredClaims`), and what the token itself demands: one that is bound to a key (`cnf`, RFC 7800) is good only
 * together with the TLS certificate it names (RFC 8705); other proofs are not supported.
 */
export function checkRequiredClaims(
  claims: JsonObject,
  signer: VerifySigner,
  presentedCertificateSha256: string | undefined,
): CheckOutcome {
  const unmet = findUnmetClaim(signer.requiredClaims, claims)
  if (unmet) {
    const expected = `${unmet.selector.text} is ${unmet.anyOf.join(' or ')}`
    return { expected, received: () => shown(selectClaim(unmet.selector, claims)), refusal: 'required-claim-unmet' }
  }
  const broken = signer.claimRules.find(({ holds }) => !holds(claims))
  if (broken) return { expected: broken.expected, received: 'otherwise', refusal: 'required-claim-unmet' }
  const { cnf } = claims
  if (cnf === undefined || cnf === null) return { expected: () => describeRequired(signer), received: 'as expected' }
  const bound = isJsonObject(cnf) ? cnf['x5t#S256'] : undefined
  const proven = typeof bound === 'string' && bound === presentedCertificateSha256
  const expected = 'a TLS client certificate that "cnf" names by x5t#S256'
  return { expected, received: () => shown(cnf), refusal: proven ? undefined : 'possession-not-proven' }
}

/** The value that names the identity, used as it is. */
export function checkIdentityClaim(claims: JsonObject, signer: VerifySigner): CheckOutcome {
  const value = selectClaim(signer.claimsProperty, claims)
  const usable = typeof value === 'string' && claimTextProblem(value, MAX_IDENTITY_CLAIM_LENGTH) === undefined
  const expected = () => `${signer.claimsProperty.text} is text of 1 to ${MAX_IDENTITY_CLAIM_LENGTH} characters`
  return { expected, received: () => shown(value), refusal: usable ? undefined : 'identity-claim-unusable' }
}

function describeAudiences(audience: string, additional: readonly string[]): string {
  return shown([audience, ...additional].join(' or ')) ?? audience
}

function describeRequired({ requiredClaims }: VerifySigner): string {
  if (requiredClaims.length === 0) return 'nothing'
  return requiredClaims.map(({ selector }) => selector.text).join(', ')
}
