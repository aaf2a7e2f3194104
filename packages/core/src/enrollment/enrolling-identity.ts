import { AppError } from '../app-error.ts'
import { type IdentitySettings, identityFromBody } from '../identity/identity-settings.ts'
import { enrollPolicyId } from '../signer/enroll-rules.ts'
import type { VerifiedToken } from '../token/verdict.ts'
import {
  type EnrollingSigner,
  type EnrollmentClaim,
  type EnrollmentKey,
  readEnrollmentClaims,
} from './enrollment-claims.ts'

/** The identity that an enrollment creates by the signer's rules: never an administrator, without permissions. */
export interface EnrollingIdentity {
  /** Identifies an identity that is already enrolled. */
  readonly key: EnrollmentKey
  readonly settings: IdentitySettings
}

/**
 * Builds the identity that enrolls with an accepted token. Check its name and attributes with `validateIdentity` afterwards.
 * @throws {AppError} INVALID_ENROLLMENT_TOKEN when the token has no usable id, attributes or name
 */
export function buildEnrollingIdentity(
  signer: EnrollingSigner,
  token: Pick<VerifiedToken, 'identityClaim' | 'claims' | 'ruleAttributes'>,
): EnrollingIdentity {
  const claims = readEnrollmentClaims(signer, token)
  const key = requireValue(claims.key)
  const attributes = requireValue(claims.attributes)
  const name = requireValue(claims.name)
  const settings = identityFromBody({
    name,
    type: 'Default',
    isAdmin: false,
    attributes: [...attributes],
    authPolicyId: enrollPolicyId(signer),
    ...(key.useExternalId && { externalId: key.externalId }),
  })
  return { key, settings }
}

function requireValue<Value>(claim: EnrollmentClaim<Value>): Value {
  if (claim.ok) return claim.value
  throw new AppError('INVALID_ENROLLMENT_TOKEN', { message: claim.reason })
}
