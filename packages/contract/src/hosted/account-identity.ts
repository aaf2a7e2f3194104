const PREFIX = 'api-account:'

/** The name and id of the identity that an API account is on the controller. */
export function accountIdentityId(accountId: string): string {
  return `${PREFIX}${accountId}`
}

/**
 * Whether a text stands for an API account, as id or as name. Nobody else may have such a one: the rights of the account go to whoever
 * has it.
 */
export function isAccountIdentity(idOrName: string): boolean {
  return idOrName.startsWith(PREFIX)
}

/** The policy of these identities. It lets nobody in: they come through the hosted API alone. */
export const ACCOUNT_AUTH_POLICY_ID = 'api-accounts'

/** The id of the API account that an identity's id stands for. */
export function accountIdOf(identityId: string): string {
  return identityId.slice(PREFIX.length)
}
