import { OAuthError } from './oauth-error.ts'

export const OFFLINE_ACCESS = 'offline_access'

/** The scopes that are kept. Only `offline_access` has an effect: it grants a refresh token. */
const KNOWN_SCOPES: readonly string[] = ['openid', 'profile', 'email', 'phone', 'address', OFFLINE_ACCESS]

/** The known scopes of a space-separated list, each once. */
export function parseScopes(text: string): readonly string[] {
  return [...new Set(text.split(' '))].filter((scope) => KNOWN_SCOPES.includes(scope))
}

/** The scopes of a refreshed token: those of the grant, or fewer. Fails with invalid_scope for a further one. */
export function narrowScopes(granted: readonly string[], requested: string | undefined): readonly string[] {
  if (!requested) return granted
  const scopes = requested.split(' ').filter((scope) => scope !== '')
  if (!scopes.every((scope) => granted.includes(scope))) {
    throw new OAuthError('invalid_scope', 'a requested scope was not granted')
  }
  return [...new Set(scopes)]
}
