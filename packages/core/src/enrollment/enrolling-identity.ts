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

/** Who enrolls, as the signer's rules say and nothing more: no administrator, no permissions. */
export interface EnrollingIdentity {
  /** What "already enrolled" is asked of. */
  readonly key: EnrollmentKey
  readonly settings: IdentitySettings
}

/**
 * Builds the identity that enrolls with an accepted token. Its name and attributes still have to keep the rules of identities
 * (`validateIdentity`).
 * @throws {AppError} INVALID_ENROLLMENT_TOKEN when the token does not tell an id, a list of attributes or a name
 */
export function buildEnrollingIdentity(
  signer: EnrollingSigner,
  token: Pick<VerifiedToken, 'identityClaim' | 'claims'>,
): EnrollingIdentity {
  const claims = readEnrollmentClaims(signer, token)
  const key = get(claims.key)
  const attributes = get(claims.attributes)
  const name = get(claims.name)
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

function get<Value>(claim: EnrollmentClaim<Value>): Value {
  if (claim.ok) return claim.value
  throw new AppError('INVALID_ENROLLMENT_TOKEN', { message: claim.reason })
}
