import type { ProviderKind } from '../../api/wire.ts'

export const KIND_LABELS: Readonly<Record<ProviderKind, string>> = {
  cognito: 'Cloud user pool (Cognito)',
  auth0: 'Hosted platform (Auth0)',
  oidc: 'Other OpenID Connect provider',
}
