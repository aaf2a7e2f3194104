import type { AuthPolicySettings } from './auth-policy-settings.ts'

/** How an identity logs in. */
export type LoginMethod =
  | { readonly method: 'password' }
  /** With a certificate of our CA, or of the third-party CA `caId`. */
  | { readonly method: 'cert'; readonly caId?: string }
  | { readonly method: 'ext-jwt'; readonly signerId: string }
  | { readonly method: 'passkey' }
  /** Through the hosted API, which has verified the account's token. Policies do not apply. */
  | { readonly method: 'api-account'; readonly accountId: string }

export type LoginMethodName = LoginMethod['method']

/** Whether a policy allows logins by this method. A policy that lists no signers allows all of them. */
export function isLoginAllowed({ primary }: Pick<AuthPolicySettings, 'primary'>, login: LoginMethod): boolean {
  switch (login.method) {
    case 'password':
      return primary.updb.allowed
    case 'cert':
      return primary.cert.allowed
    case 'ext-jwt': {
      const { allowed, allowedSigners } = primary.extJwt
      return allowed && (allowedSigners.length === 0 || allowedSigners.includes(login.signerId))
    }
    case 'passkey':
      return primary.passkey.allowed
    case 'api-account':
      return true
  }
}
