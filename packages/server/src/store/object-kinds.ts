import type { ChangedEntity } from './change.ts'

/** The names of entities in the audit record. */
export const OBJECT_KINDS: Readonly<Record<ChangedEntity, string>> = {
  externalJwtSigners: 'ext-jwt-signer',
  authPolicies: 'auth-policy',
  identities: 'identity',
  authenticators: 'authenticator',
  passkeys: 'passkey',
  apiSessions: 'api-session',
  organizations: 'organization',
  identityProviders: 'identity-provider',
  networks: 'network',
  apiAccounts: 'api-account',
  accountJobs: 'account-job',
  enrollments: 'enrollment',
  cas: 'ca',
  oidcKeys: 'oidc-key',
  revocations: 'revocation',
  tokenRevocations: 'token-revocation',
  scimTokens: 'scim-token',
  scimGroups: 'scim-group',
  eventSinks: 'event-sink',
}
