/** What the kinds of the audit record are called in the console. */
const LABELS: Readonly<Record<string, string>> = {
  'ext-jwt-signer': 'signer',
  'auth-policy': 'authentication policy',
  identity: 'identity',
  authenticator: 'password or certificate',
  passkey: 'passkey',
  enrollment: 'invitation',
  'api-session': 'session',
  ca: 'CA',
  'event-sink': 'event sink',
  'scim-token': 'SCIM token',
  'scim-group': 'SCIM group',
  revocation: 'revocation',
  'token-revocation': 'revoked token',
  'oidc-key': 'key of the OpenID provider',
  organization: 'organization',
  'identity-provider': 'identity provider',
  network: 'network',
  'api-account': 'API account',
  'account-job': 'job at a provider',
}

export const objectKindLabel = (kind: string): string => LABELS[kind] ?? kind

export const OBJECT_KINDS = Object.entries(LABELS).map(([value, label]) => ({ value, label }))
