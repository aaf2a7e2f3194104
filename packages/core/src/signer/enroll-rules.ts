import { AppError, fieldError } from '../app-error.ts'
import type { SignerSettings } from './signer-settings.ts'

/** What the enrollment rules ask of the policy that an enrolling identity would get. */
export interface EnrollPolicy {
  readonly certAllowed: boolean
  readonly extJwtAllowed: boolean
}

export const DEFAULT_AUTH_POLICY_ID = 'default'

/** The policy that an identity enrolled through this signer gets. */
export function enrollPolicyId(signer: Pick<SignerSettings, 'enrollAuthPolicyId'>): string {
  return signer.enrollAuthPolicyId ?? DEFAULT_AUTH_POLICY_ID
}

/** A signer may not promise an enrollment whose result its policy would refuse. */
export function checkEnrollRules(signer: SignerSettings, policy: EnrollPolicy | undefined): void {
  const id = enrollPolicyId(signer)
  const refuse = (reason: string): AppError => fieldError('enrollAuthPolicyId', reason, id)
  if (signer.enrollToTokenEnabled && !policy) {
    throw refuse('the auth policy must be specified if enroll to token is enabled')
  }
  if (signer.enrollToCertEnabled && !policy) {
    throw refuse('the auth policy must be specified if enroll to cert is enabled')
  }
  if (!policy) throw new AppError('NOT_FOUND', { message: `authPolicy with id ${id} not found` })
  if (signer.enrollToTokenEnabled && !policy.extJwtAllowed) {
    throw refuse('primary external jwt authentication on auth policy is disabled')
  }
  if (signer.enrollToCertEnabled && !policy.certAllowed) {
    throw refuse('primary certificate authentication on auth policy is disabled')
  }
}
