import { isSignInAllowed, type JsonObject, type JsonValue, parseSelector, selectClaim } from '@countersign/core'
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

/** What may become the id of an identity. */
const ID_FORM = /^[A-Za-z0-9][A-Za-z0-9._@:|+=~-]{0,127}$/

/** Everything that stands in the way of an enrollment, in the order in which it is refused, in words for an administrator. */
export function missingForEnrollment(attempt: EnrollAttempt): string[] {
  const { signer, claim, claims, identity } = attempt
  const name = quoted(signer.name)
  const missing: string[] = []
  if (!signer.useExternalId && !ID_FORM.test(claim)) {
    missing.push(
      `an id: ${quoted(claim)}, the value of ${quoted(signer.claimsProperty)}, cannot be one, so set useExternalId on the signer ${name}`,
    )
  }
  if (!isListOfTexts(selected(signer.enrollAttributeClaimsSelector, claims))) {
    missing.push(
      `attributes: ${quoted(signer.enrollAttributeClaimsSelector ?? '')} (enrollAttributeClaimsSelector) is neither text nor a list of texts`,
    )
  }
  if (!isText(selected(signer.enrollNameClaimsSelector, claims))) {
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

function selected(selector: string | null, claims: JsonObject): JsonValue | undefined {
  const reading = selector ? parseSelector(selector) : undefined
  return reading?.ok ? selectClaim(reading.selector, claims) : undefined
}

const isText = (value: JsonValue | undefined): boolean => typeof value === 'string' && value.trim() !== ''

/** Absent counts as none. */
function isListOfTexts(value: JsonValue | undefined): boolean {
  if (value === undefined || value === null || typeof value === 'string') return true
  return Array.isArray(value) && value.every((element) => typeof element === 'string')
}
