import type { AuthPolicySettings } from './auth-policy-settings.ts'

/** The TOTP enrollments of a session: the verified one of its identity, and the one whose code the session has passed. */
export interface SessionTotp {
  readonly verifiedTotpId: string | null
  readonly passedTotpId: string | null
}

/** Whether a session lacks a one-time code. An identity with verified codes must always send one; without, the policy decides. */
export function isCodeMissing(
  { secondary }: Pick<AuthPolicySettings, 'secondary'>,
  { verifiedTotpId, passedTotpId }: SessionTotp,
): boolean {
  return verifiedTotpId === null ? secondary.requireTotp : passedTotpId !== verifiedTotpId
}
