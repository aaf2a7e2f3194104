import { OAuthError } from './oauth-error.ts'

/** The two clients, both public: `native` is the older id of `openziti`. */
export const OIDC_CLIENTS = ['openziti', 'native'] as const

export type OidcClientId = (typeof OIDC_CLIENTS)[number]

/** Fails with invalid_client. */
export function parseClientId(id: string): OidcClientId {
  const known = OIDC_CLIENTS.find((client) => client === id)
  if (known === undefined) throw new OAuthError('invalid_client', 'client not found')
  return known
}
