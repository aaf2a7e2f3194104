import { guessProviderProduct, type ProviderProduct } from '@countersign/contract/provider-kind'

/** The providers whose token requests are known by name; `oidc` is any other. */
export type ProviderName = Exclude<ProviderProduct, 'unknown'> | 'oidc'

const NAMES: readonly string[] = ['cognito', 'auth0', 'entra', 'okta', 'keycloak', 'oidc'] satisfies ProviderName[]

export function isProviderName(text: string): text is ProviderName {
  return NAMES.includes(text)
}

/** The provider that an `authenticationUrl` looks like. A default only: custom domains hide it. */
export function guessProvider(authenticationUrl: string): ProviderName {
  const product = guessProviderProduct(authenticationUrl)
  return product === 'unknown' ? 'oidc' : product
}
