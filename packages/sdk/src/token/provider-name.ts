import { guessProviderProduct, type ProviderProduct } from '@countersign/contract/provider-kind'

/** `oidc` is any provider without a name of its own. */
export type ProviderName = Exclude<ProviderProduct, 'unknown'> | 'oidc'

const NAMES: readonly string[] = ['cognito', 'auth0', 'entra', 'okta', 'keycloak', 'oidc'] satisfies ProviderName[]

export function isProviderName(text: string): text is ProviderName {
  return NAMES.includes(text)
}

/** The path of Auth0's token endpoint, also on custom domains. */
const AUTH0_PATH = '/oauth/token'

/** Guesses the provider from `authenticationUrl`. A default only, because custom domains hide the provider. */
export function guessProvider(authenticationUrl: string): ProviderName {
  const product = guessProviderProduct(authenticationUrl)
  if (product !== 'unknown') return product
  const isAuth0 = URL.canParse(authenticationUrl) && new URL(authenticationUrl).pathname === AUTH0_PATH
  return isAuth0 ? 'auth0' : 'oidc'
}
