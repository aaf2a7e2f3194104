import type { AuthPolicySettings } from './auth-policy-settings.ts'

/** How somebody has shown who he is. */
export type SignInWay =
  | { readonly method: 'updb' }
  | { readonly method: 'cert' }
  | { readonly method: 'ext-jwt'; readonly signerId: string }
  /** Through the hosted API, which has judged the account; policies are for those who sign in here. */
  | { readonly method: 'api-account'; readonly accountId: string }

/** Whether a policy lets its identities in by this way; a policy that names no signers allows all of them. */
export function isSignInAllowed({ primary }: Pick<AuthPolicySettings, 'primary'>, way: SignInWay): boolean {
  if (way.method === 'api-account') return true
  if (way.method !== 'ext-jwt') return primary[way.method].allowed
  const { allowed, allowedSigners } = primary.extJwt
  return allowed && (allowedSigners.length === 0 || allowedSigners.includes(way.signerId))
}
