import type { AuthPolicySettings } from './auth-policy-settings.ts'

/** By which method an identity has proven who it is. */
export type LoginWay =
  | { readonly method: 'password' }
  | { readonly method: 'cert' }
  | { readonly method: 'ext-jwt'; readonly signerId: string }
  /** Through the hosted API, which has verified the account's token; policies are for logins at the controller. */
  | { readonly method: 'api-account'; readonly accountId: string }

export type LoginMethod = LoginWay['method']

/** Whether a policy allows its identities to log in this way; a policy that names no signers allows all of them. */
export function isLoginAllowed({ primary }: Pick<AuthPolicySettings, 'primary'>, way: LoginWay): boolean {
  switch (way.method) {
    case 'password':
      return primary.updb.allowed
    case 'cert':
      return primary.cert.allowed
    case 'ext-jwt': {
      const { allowed, allowedSigners } = primary.extJwt
      return allowed && (allowedSigners.length === 0 || allowedSigners.includes(way.signerId))
    }
    case 'api-account':
      return true
  }
}
