import type { AuthPolicySettings } from './auth-policy-settings.ts'
import type { LoginMethodName } from './login-method.ts'

/** How a session was opened, and the passkey that it has passed as second factor. */
export interface SessionPasskey {
  readonly method: LoginMethodName
  readonly passedPasskeyId: string | null
}

/** Whether a session lacks the passkey that the policy requires. A login by passkey needs no second one. */
export function isPasskeyMissing(
  { secondary }: Pick<AuthPolicySettings, 'secondary'>,
  { method, passedPasskeyId }: SessionPasskey,
): boolean {
  return secondary.requirePasskey && method !== 'passkey' && passedPasskeyId === null
}
