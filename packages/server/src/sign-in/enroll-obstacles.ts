import { isSignInAllowed, type JsonObject, readEnrollmentClaims } from '@countersign/core'
import type { StoredAuthPolicy } from '../store/auth-policy-row.ts'
import type { StoredIdentity } from '../store/identity-row.ts'
import type { StoredSigner } from '../store/signer-row.ts'
import { quoted } from './quoted.ts'

/** Somebody who would enroll with a token that a signer has accepted. */
export interface EnrollAttempt {
  readonly signer: StoredSigner
  readonly claim: string
  readonly claims: JsonObject
  /** Whoever has that claim already. */
  readonly identity: StoredIdentity | undefined
  /** The policy that the new identity would get. */
  readonly policy: StoredAuthPolicy | undefined
}

/** Everything that stands in the way of an enrollment, in the order in which it is refused, in words for an administrator. */
export function missingForEnrollment(attempt: EnrollAttempt): string[] {
  const { signer, claim, claims, identity } = attempt
  const name = quoted(signer.name)
  const { key, attributes, name: given } = readEnrollmentClaims(signer, { identityClaim: claim, claims })
  const missing: string[] = []
  if (!key.ok) {
    missing.push(
      `an id: ${quoted(claim)}, the value of ${quoted(signer.claimsProperty)}, cannot be one, so set useExternalId on the signer ${name}`,
    )
  }
  if (!attributes.ok) {
    missing.push(
      `attributes: ${quoted(signer.enrollAttributeClaimsSelector ?? '')} (enrollAttributeClaimsSelector) is neither text nor a list of texts`,
    )
  }
  if (!given.ok) {
    missing.push(
      `a name: the token has no text at ${quoted(signer.enrollNameClaimsSelector)} (enrollNameClaimsSelector)`,
    )
  }
  if (identity) missing.push(`the identity ${quoted(identity.name)} has this claim: it is already enrolled`)
  return [...missing, ...missingPermission(attempt)]
}

function missingPermission({ signer, policy }: EnrollAttempt): string[] {
  const name = quoted(signer.name)
  if (!signer.enrollToCertEnabled && !signer.enrollToTokenEnabled) {
    return [`the signer ${name} enrolls nobody: set enrollToTokenEnabled or enrollToCertEnabled`]
  }
  if (!policy) return [`the policy of the signer ${name} (enrollAuthPolicyId) does not exist`]
  const which = `the policy ${quoted(policy.name)}`
  const way = { method: 'ext-jwt', signerId: signer.id } as const
  const missing: string[] = []
  if (signer.enrollToTokenEnabled && !policy.primary.extJwt.allowed) {
    missing.push(`to enroll to a token: ${which} does not allow External JWT authentication`)
  } else if (signer.enrollToTokenEnabled && !isSignInAllowed(policy, way)) {
    missing.push(`to enroll to a token: the signer ${name} is not among the allowed signers of ${which}`)
  }
  if (signer.enrollToCertEnabled && !policy.primary.cert.allowed) {
    missing.push(`to enroll to a certificate: ${which} does not allow certificate authentication`)
  }
  return missing
}
