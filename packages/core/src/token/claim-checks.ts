import { claimTextError, MAX_IDENTITY_CLAIM_LENGTH } from '../claim/claim-text.ts'
import { findUnmetClaim, requirementText } from '../claim/required-claims.ts'
import { selectClaim } from '../claim/selector.ts'
import type { JsonObject } from '../json/json-value.ts'
import { acceptsAudience } from '../signer/signer-audiences.ts'
import type { CheckResult } from './check-result.ts'
import { audiencesOf } from './jws.ts'
import { displayValue } from './verdict.ts'
import type { VerifySigner } from './verify-signer.ts'

/** Compares exactly: a trailing slash, letter case and default ports matter. */
export function checkIssuer({ iss }: JsonObject, signer: VerifySigner): CheckResult {
  return {
    expected: signer.issuer,
    received: () => displayValue(iss),
    refusal: iss === signer.issuer ? undefined : 'issuer-mismatch',
  }
}

/** Passes when one of the token's audiences is exactly one of the signer's. */
export function checkAudience(claims: JsonObject, signer: VerifySigner): CheckResult {
  const { audience, additionalAudiences } = signer
  if (audience === null)
    return { expected: 'none, by the rules of the provider', received: () => displayValue(claims.aud) }
  const matches = acceptsAudience({ audience, additionalAudiences }, audiencesOf(claims))
  return {
    expected: additionalAudiences.length === 0 ? audience : () => describeAudiences(audience, additionalAudiences),
    received: () => displayValue(claims.aud),
    refusal: matches ? undefined : 'audience-mismatch',
  }
}

/** Checks the signer's `requiredClaims` and claim rules. */
export function checkRequiredClaims(claims: JsonObject, signer: VerifySigner): CheckResult {
  const unmet = findUnmetClaim(signer.requiredClaims, claims)
  if (unmet) {
    return {
      expected: requirementText(unmet),
      received: () => displayValue(selectClaim(unmet.selector, claims)),
      refusal: 'required-claim-unmet',
    }
  }
  const broken = signer.claimRules.find(({ holds }) => !holds(claims))
  if (broken) return { expected: broken.expected, received: 'otherwise', refusal: 'required-claim-unmet' }
  return { expected: () => describeRequired(signer), received: 'as expected' }
}

/** The claim that names the identity is compared without trimming or normalising. */
export function checkIdentityClaim(claims: JsonObject, signer: VerifySigner): CheckResult {
  const value = selectClaim(signer.claimsProperty, claims)
  const usable = typeof value === 'string' && claimTextError(value, MAX_IDENTITY_CLAIM_LENGTH) === undefined
  const expected = () => `${signer.claimsProperty.text} is text of 1 to ${MAX_IDENTITY_CLAIM_LENGTH} characters`
  return { expected, received: () => displayValue(value), refusal: usable ? undefined : 'identity-claim-unusable' }
}

function describeAudiences(audience: string, additional: readonly string[]): string {
  return displayValue([audience, ...additional].join(' or ')) ?? audience
}

function describeRequired({ requiredClaims }: VerifySigner): string {
  if (requiredClaims.length === 0) return 'nothing'
  return requiredClaims.map(({ selector }) => selector.text).join(', ')
}
