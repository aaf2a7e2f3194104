import { guessProviderProduct, type ProviderProduct } from '@countersign/contract/provider-kind'

/** The providers whose token requests are known by name; `oidc` is any other. */
export type ProviderName = Exclude<ProviderProduct, 'unknown'> | 'oidc'

const NAMES: readonly string[] = ['cognito', 'auth0', 'entra', 'okta', 'keycloak', 'oidc'] satisfies ProviderName[]

export function isProviderName(text: string): text is ProviderName {
  return NAMES.includes(text)
}

/** The path of a hosted platform's token endpoint, which its custom domains keep. */
const PLATFORM_PATH = '/oauth/token'

/** The provider that an `authenticationUrl` looks like. A default only: custom domains hide it, and its owner may know better. */
export function guessProvider(authenticationUrl: string): ProviderName {
  const product = guessProviderProduct(authenticationUrl)
  if (product !== 'unknown') return product
  const isPlatform = URL.canParse(authenticationUrl) && new URL(authenticationUrl).pathname === PLATFORM_PATH
  return isPlatform ? 'auth0' : 'oidc'
}
