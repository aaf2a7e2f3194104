const PREFIX = 'api-account:'

/** The id and name of an API account's identity on the controller. */
export function accountIdentityId(accountId: string): string {
  return `${PREFIX}${accountId}`
}

/**
 * Whether an id or a name is reserved for the identities of API accounts. No other identity may have one: the identity with this id has the
 * rights of the account.
 */
export function isAccountIdentity(idOrName: string): boolean {
  return idOrName.startsWith(PREFIX)
}

/** The policy of API-account identities. It allows no logins: they get sessions through the hosted API only. */
export const ACCOUNT_AUTH_POLICY_ID = 'api-accounts'

/** The id of the API account with this identity id. */
export function accountIdOf(identityId: string): string {
  return identityId.slice(PREFIX.length)
}
