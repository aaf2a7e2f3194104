import {
  type EnrollmentKey,
  type EnrollmentKind,
  type EnrollmentRefusal,
  enrollPolicyId,
  findEnrollmentRefusals,
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
  /** Its revision then: the token, and the settings that were read from it, may be others by a later one. */
  readonly signerRevision: number
  readonly kind: EnrollmentKind
  readonly key: EnrollmentKey
  readonly settings: IdentitySettings
  readonly identityId: string
  readonly authenticator: Omit<NewCertificateAuthenticator, 'identityId'> | undefined
}

/**
 * Creates the identity of a verified token with its attributes and its certificate. Reads signer, policy and the claim's identity again,
 * which may have changed since the token was verified. Returns the refusal when the identity can no longer enroll.
 */
export const enrollByJwt = operation({
  name: 'enrollment.byJwt',
  access: 'none',
  async run(
    tx,
    { signerId, signerRevision, kind, key, settings, identityId, authenticator }: JwtEnrollment,
  ): Promise<{ refusal: EnrollmentRefusal | undefined }> {
    const signer = await findSigner(tx.db, signerId)
    if (!signer) return { refusal: 'signer-disabled' }
    if (signer.revision !== signerRevision) return { refusal: 'signer-changed' }
    const policy = await findAuthPolicy(tx.db, enrollPolicyId(signer))
    const isEnrolled = (await findEnrolledIdentity(tx.db, key)) !== undefined
    const [refusal] = findEnrollmentRefusals({ kind, signer, policy, isEnrolled })
    if (refusal) return { refusal }
    await addIdentity(tx, identityId, settings)
    if (authenticator) await insertCertificateAuthenticator(tx, { ...authenticator, identityId })
    return { refusal: undefined }
  },
})
