import {
  type EnrollmentAttempt,
  type EnrollmentKey,
  type EnrollmentKind,
  type EnrollmentRefusal,
  enrollPolicyId,
  findEnrollmentRefusals,
  foldAscii,
  type IdentitySettings,
  isIdentityKeyCaseExact,
  type LoginClaims,
  type LoginRequirements,
  type RevocableToken,
  requirementsOf,
  revocationKey,
  waitsAfterDeletion,
} from '@countersign/core'
import { operation } from '../../store/operation.ts'
import { findAuthPolicy } from '../../store/reads/auth-policy-reads.ts'
import { findDeletion } from '../../store/reads/identity-access-reads.ts'
import { findEnrolledIdentity } from '../../store/reads/identity-reads.ts'
import { hasDescribedUser } from '../../store/reads/scim-user-reads.ts'
import { findSigner } from '../../store/reads/signer-reads.ts'
import { findRevocation } from '../../store/reads/token-revocation-reads.ts'
import type { StoredSigner } from '../../store/signer-row.ts'
import type { Transaction } from '../../store/transaction.ts'
import {
  insertCertificateAuthenticator,
  type NewCertificateAuthenticator,
} from '../../store/writes/authenticator-writes.ts'
import { addIdentity } from '../identity/create-identity.ts'
import { findFreeName } from '../identity/sync-identity.ts'
import { type CredentialUses, type UsedBefore, useCredentials } from '../possession/use-credentials.ts'

export interface JwtEnrollment {
  /** The signer that has accepted the token. */
  readonly signerId: string
  /** Its revision then: the token, and the settings that were read from it, may be others by a later one. */
  readonly signerRevision: number
  readonly kind: EnrollmentKind
  readonly key: EnrollmentKey
  readonly settings: IdentitySettings
  readonly identityId: string
  /** When the token was issued, in seconds. */
  readonly issuedAt: number
  readonly token: RevocableToken
  readonly loginClaims: LoginClaims
  /** For the rule of the policy. */
  readonly facts: Pick<EnrollmentAttempt['facts'], 'claims' | 'knownClaims' | 'request'>
  /** Set when a login enrolls. */
  readonly isLogin?: boolean
  readonly authenticator: Omit<NewCertificateAuthenticator, 'identityId'> | undefined
  /** What is accepted once. */
  readonly uses?: CredentialUses | undefined
}

interface JwtEnrollmentResult {
  readonly refusal: EnrollmentRefusal | undefined
  /** What the policy requires of the login at the identity provider, when that is the reason. */
  readonly requirements?: LoginRequirements | undefined
  /** The name that the new identity got. */
  readonly name?: string
  /** Set when the token or its proof is accepted once and was used before. */
  readonly usedBefore?: UsedBefore
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
    {
      signerId,
      signerRevision,
      kind,
      key,
      settings,
      identityId,
      issuedAt,
      token,
      loginClaims,
      facts,
      isLogin = false,
      authenticator,
      uses,
    }: JwtEnrollment,
  ): Promise<JwtEnrollmentResult> {
    const signer = await findSigner(tx.db, signerId)
    if (!signer) return { refusal: 'signer-disabled' }
    if (signer.revision !== signerRevision) return { refusal: 'signer-changed' }
    const policy = await findAuthPolicy(tx.db, enrollPolicyId(signer))
    const isEnrolled =
      (await findEnrolledIdentity(tx.db, key)) !== undefined || (await isOtherSpelling(tx, signer, settings.externalId))
    const deletedAt = waitsAfterDeletion({ signer, kind }) ? await findDeletion(tx.db, key) : undefined
    const revocable = withSpelling(token, signer, settings.externalId)
    const isRevoked = (await findRevocation(tx.db, signerId, revocable)) !== undefined
    const identity = { id: identityId, name: settings.name, attributes: settings.attributes }
    const attempt = { kind, signer, policy, isEnrolled, isRevoked, loginClaims, now: tx.now, isLogin, deletedAt }
    const [refusal] = findEnrollmentRefusals({ ...attempt, facts: { ...facts, identity } })
    if (refusal) return { refusal, requirements: requirementsOf(refusal, policy) }
    const by = kind === 'cert' ? 'enrollment to a certificate' : 'enrollment to token use'
    const usedBefore = uses && (await useCredentials(tx, uses, by))
    if (usedBefore) return { refusal: undefined, usedBefore }
    const freeName = signer.nameSync ? await findFreeName(tx, identityId, settings.name) : undefined
    const name = freeName ?? settings.name
    await addIdentity(
      tx,
      identityId,
      { ...settings, name },
      {
        enrolledBySignerId: signerId,
        ...(signer.attributeSync === 'login' && { suppliedBy: { signerId, issuedAt } }),
      },
    )
    if (authenticator) {
      const isFromUntrusted = !signer.trust.isTrusted
      await insertCertificateAuthenticator(tx, { ...authenticator, identityId, tokenSeenAt: tx.now, isFromUntrusted })
    }
    return { refusal: undefined, name }
  },
})

/** Whether the claim is the name of a SCIM user in other letters: a second identity would outlive the departure of the first. */
async function isOtherSpelling({ db }: Transaction, signer: StoredSigner, externalId: string | null): Promise<boolean> {
  if (externalId === null || isIdentityKeyCaseExact(signer)) return false
  return hasDescribedUser(db, signer, foldAscii(externalId))
}

/** The token, which what revokes the same name in other letters concerns too. */
function withSpelling(token: RevocableToken, signer: StoredSigner, externalId: string | null): RevocableToken {
  if (externalId === null || isIdentityKeyCaseExact(signer)) return token
  const key = revocationKey({ identityClaim: foldAscii(externalId) })
  return { ...token, revocationKeys: [...token.revocationKeys, key] }
}
