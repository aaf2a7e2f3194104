import { DEFAULT_AUTH_POLICY_ID } from '@countersign/contract/identity'
import { AppError, fieldError } from '../app-error.ts'
import type { SignerSettings } from './signer-settings.ts'

/** The part of the enrolling identity's policy that the enrollment rules need. */
export interface EnrollPolicy {
  readonly certAllowed: boolean
  readonly extJwtAllowed: boolean
}

export { DEFAULT_AUTH_POLICY_ID } from '@countersign/contract/identity'

/** The policy of identities that enroll through this signer. */
export function enrollPolicyId(signer: Pick<SignerSettings, 'enrollAuthPolicyId'>): string {
  return signer.enrollAuthPolicyId ?? DEFAULT_AUTH_POLICY_ID
}

export type EnrollFlags = Pick<SignerSettings, 'enrollToCertEnabled' | 'enrollToTokenEnabled'>

/** Returns why the policy does not allow the logins that the signer's flags lead to; undefined when it does. */
export function findEnrollPolicyError(
  { enrollToCertEnabled, enrollToTokenEnabled }: EnrollFlags,
  policy: EnrollPolicy | undefined,
): string | undefined {
  if (enrollToTokenEnabled && !policy) return 'the auth policy must be specified if enroll to token is enabled'
  if (enrollToCertEnabled && !policy) return 'the auth policy must be specified if enroll to cert is enabled'
  if (enrollToTokenEnabled && !policy?.extJwtAllowed) {
    return 'primary external jwt authentication on auth policy is disabled'
  }
  if (enrollToCertEnabled && !policy?.certAllowed) {
    return 'primary certificate authentication on auth policy is disabled'
  }
  return undefined
}

/**
 * Throws COULD_NOT_VALIDATE when the policy does not allow the logins that the signer enrolls for, and NOT_FOUND when the
 * policy does not exist.
 */
export function checkEnrollRules(signer: SignerSettings, policy: EnrollPolicy | undefined): void {
  const id = enrollPolicyId(signer)
  const reason = findEnrollPolicyError(signer, policy)
  if (reason) throw fieldError('enrollAuthPolicyId', reason, id)
  if (!policy) throw new AppError('NOT_FOUND', { message: `authPolicy with id ${id} not found` })
}
