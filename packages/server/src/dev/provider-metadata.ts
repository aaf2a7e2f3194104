import type { IssuerAddresses, ProviderAddresses } from './provider-addresses.ts'

/** Builds the discovery document of the user pool or the hosted platform. `oidc-provider` serves its own. */
export function buildMetadata(
  { issuer, jwksUri, tokenUrl }: IssuerAddresses,
  { base, registrationUrl }: ProviderAddresses,
  clientAuthentication: readonly string[],
): Readonly<Record<string, unknown>> {
  return {
    issuer,
    authorization_endpoint: `${base}/auth`,
    token_endpoint: tokenUrl,
    jwks_uri: jwksUri,
    registration_endpoint: registrationUrl,
    response_types_supported: ['code'],
    grant_types_supported: ['client_credentials'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    token_endpoint_auth_methods_supported: clientAuthentication,
  }
}
