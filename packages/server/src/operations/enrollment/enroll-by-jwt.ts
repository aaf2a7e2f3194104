import {
  type EnrollmentKey,
  type EnrollmentKind,
  type EnrollmentObstacle,
  enrollPolicyId,
  findEnrollmentObstacles,
  type IdentitySettings,
} from '@countersign/core'
import { findAuthPolicy } from '../../store/reads/auth-policy-reads.ts'
import { findEnrolledIdentity } from '../../store/reads/identity-reads.ts'
import { findSigner } from '../../store/reads/signer-reads.ts'
import type { WriteOperation } from '../../store/write-operation.ts'
import {
  insertCertificateAuthenticator,
  type NewCertificateAuthenticator,
} from '../authenticator/authenticator-operations.ts'
import { insertIdentity } from '../identity/identity-operations.ts'

export interface JwtEnrollment {
  /** The signer that has accepted the token. */
  readonly signerId: string
  readonly kind: EnrollmentKind
  readonly key: EnrollmentKey
  readonly settings: IdentitySettings
  readonly identityId: string
  readonly authenticator: Omit<NewCertificateAuthenticator, 'identityId'> | undefined
}

/**
 * The identity with its attributes and its certificate, or nothing of it. Signer, policy and whoever has the claim are looked at again:
 * what was true when the token was verified may not be any more.
 */
const enrollByJwt: WriteOperation<JwtEnrollment, { obstacle: EnrollmentObstacle | undefined }> = async (
  context,
  { signerId, kind, key, settings, identityId, authenticator },
) => {
  const { db } = context
  const signer = await findSigner(db, signerId)
  if (!signer) return { obstacle: 'signer-disabled' }
  const policy = await findAuthPolicy(db, enrollPolicyId(signer))
  const isEnrolled = (await findEnrolledIdentity(db, key)) !== undefined
  const [obstacle] = findEnrollmentObstacles({ kind, signer, policy, isEnrolled })
  if (obstacle) return { obstacle }
  await insertIdentity(context, identityId, settings, { isDefaultAdmin: false })
  if (authenticator) await insertCertificateAuthenticator(context, { ...authenticator, identityId })
  return { obstacle: undefined }
}

export const JWT_ENROLLMENT_WRITES = { 'enrollment.byJwt': enrollByJwt }
