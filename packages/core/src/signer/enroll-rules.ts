import { DEFAULT_AUTH_POLICY_ID } from '@countersign/contract/identity'
import { AppError, fieldError } from '../app-error.ts'
import type { SignerSettings } from './signer-settings.ts'

/** What the enrollment rules ask of the policy that an enrolling identity would get. */
export interface EnrollPolicy {
  readonly certAllowed: boolean
  readonly extJwtAllowed: boolean
}

export { DEFAULT_AUTH_POLICY_ID } from '@countersign/contract/identity'

/** The policy that an identity enrolled through this signer gets. */
export function enrollPolicyId(signer: Pick<SignerSettings, 'enrollAuthPolicyId'>): string {
  return signer.enrollAuthPolicyId ?? DEFAULT_AUTH_POLICY_ID
}

export type EnrollFlags = Pick<SignerSettings, 'enrollToCertEnabled' | 'enrollToTokenEnabled'>

/** Why the policy would refuse what the signer's flags promise; undefined when it would not. */
export function findEnrollProblem(
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
 * A signer may not promise an enrollment whose result its policy would refuse (COULD_NOT_VALIDATE), and the policy must
 * exist in any case (NOT_FOUND).
 */
export function checkEnrollRules(signer: SignerSettings, policy: EnrollPolicy | undefined): void {
  const id = enrollPolicyId(signer)
  const problem = findEnrollProblem(signer, policy)
  if (problem) throw fieldError('enrollAuthPolicyId', problem, id)
  if (!policy) throw new AppError('NOT_FOUND', { message: `authPolicy with id ${id} not found` })
}
