import {
  type EnrollmentKey,
  type EnrollmentKind,
  type EnrollmentObstacle,
  enrollPolicyId,
  findEnrollmentObstacles,
  type IdentitySettings,
} from '@countersign/core'
import { operation } from '../../store/operation.ts'
import { findAuthPolicy } from '../../store/reads/auth-policy-reads.ts'
import { findEnrolledIdentity } from '../../store/reads/identity-reads.ts'
import { findSigner } from '../../store/reads/signer-reads.ts'
import {
  insertCertificateAuthenticator,
  type NewCertificateAuthenticator,
} from '../../store/writes/authenticator-writes.ts'
import { addIdentity } from '../identity/create-identity.ts'

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
 * Creates the identity of a verified token with its attributes and its certificate. Signer, policy and the holder of the claim are read again:
 * they may have changed since the token was verified. Returns the reason when the identity cannot enroll any more.
 */
export const enrollByJwt = operation({
  name: 'enrollment.byJwt',
  access: 'none',
  async run(
    tx,
    { signerId, kind, key, settings, identityId, authenticator }: JwtEnrollment,
  ): Promise<{ obstacle: EnrollmentObstacle | undefined }> {
    const signer = await findSigner(tx.db, signerId)
    if (!signer) return { obstacle: 'signer-disabled' }
    const policy = await findAuthPolicy(tx.db, enrollPolicyId(signer))
    const isEnrolled = (await findEnrolledIdentity(tx.db, key)) !== undefined
    const [obstacle] = findEnrollmentObstacles({ kind, signer, policy, isEnrolled })
    if (obstacle) return { obstacle }
    await addIdentity(tx, identityId, settings)
    if (authenticator) await insertCertificateAuthenticator(tx, { ...authenticator, identityId })
    return { obstacle: undefined }
  },
})
