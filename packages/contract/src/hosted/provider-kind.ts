/** The kinds of identity providers: Amazon Cognito, Auth0, or any other OpenID provider. */
export const PROVIDER_KINDS = ['cognito', 'auth0', 'oidc'] as const
export type ProviderKind = (typeof PROVIDER_KINDS)[number]

/** The product behind an `authenticationUrl`. Token requests differ between products. */
export type ProviderProduct = 'cognito' | 'auth0' | 'entra' | 'okta' | 'keycloak' | 'unknown'

const COGNITO_PATH = '/oauth2/token'
const KEYCLOAK_PATH = '/protocol/openid-connect/token'
const ENTRA_HOSTS = ['login.microsoftonline.com', 'login.microsoftonline.us', 'login.partner.microsoftonline.cn']
const OKTA_DOMAINS = ['.okta.com', '.oktapreview.com', '.okta-emea.com', '.okta-gov.com']

interface ProductRule {
  readonly product: ProviderProduct
  matches(host: string, path: string): boolean
}

/** Matches host suffixes only: `auth0.com.evil.example` is not Auth0. */
const RULES: readonly ProductRule[] = [
  {
    product: 'cognito',
    matches: (host, path) => {
      const labels = host.split('.')
      const isPool = host.endsWith('.amazoncognito.com') && ['auth', 'auth-fips'].includes(labels.at(-4) ?? '')
      return isPool && labels.length >= 5 && path === COGNITO_PATH
    },
  },
  { product: 'auth0', matches: (host) => host.endsWith('.auth0.com') },
  { product: 'entra', matches: (host) => ENTRA_HOSTS.includes(host) },
  { product: 'okta', matches: (host) => OKTA_DOMAINS.some((domain) => host.endsWith(domain)) },
  { product: 'keycloak', matches: (_, path) => path.includes('/realms/') && path.endsWith(KEYCLOAK_PATH) },
]

/** Guesses the product from an `authenticationUrl`. Use it for defaults only: custom domains hide the product, and the guess is no basis for trust. */
export function guessProviderProduct(authenticationUrl: string): ProviderProduct {
  if (!URL.canParse(authenticationUrl)) return 'unknown'
  const { hostname, pathname } = new URL(authenticationUrl)
  const host = hostname.toLowerCase()
  return RULES.find((rule) => rule.matches(host, pathname))?.product ?? 'unknown'
}

/** The members of a discovery document that tell products apart. */
export interface DiscoverySigns {
  readonly issuer: string
  readonly tokenEndpoint: string
  readonly jwksUri: string
  /** Whether it has members that only Entra publishes. */
  readonly hasMicrosoftMembers: boolean
}

const POOL_ID = /\/[a-z]{2}(?:-[a-z]+)+-\d_[A-Za-z0-9]+$/

/** By the forms that the products document, on whatever host: custom domains keep them. */
const DISCOVERY_RULES: readonly {
  readonly product: ProviderProduct
  matches(signs: DiscoverySigns): boolean
}[] = [
  { product: 'entra', matches: ({ hasMicrosoftMembers }) => hasMicrosoftMembers },
  { product: 'keycloak', matches: ({ tokenEndpoint }) => tokenEndpoint.endsWith(KEYCLOAK_PATH) },
  {
    product: 'okta',
    matches: ({ tokenEndpoint, jwksUri }) => tokenEndpoint.endsWith('/v1/token') && jwksUri.endsWith('/v1/keys'),
  },
  {
    product: 'cognito',
    matches: ({ issuer, tokenEndpoint }) => POOL_ID.test(issuer) && tokenEndpoint.endsWith(COGNITO_PATH),
  },
  {
    product: 'auth0',
    matches: ({ tokenEndpoint, jwksUri }) =>
      tokenEndpoint.endsWith('/oauth/token') && jwksUri.endsWith('/.well-known/jwks.json'),
  },
]

/** Recognises the product by its discovery document; `unknown` for any other OpenID provider. Like the guess, it is no basis for trust. */
export function productOfDiscovery(signs: DiscoverySigns): ProviderProduct {
  return DISCOVERY_RULES.find((rule) => rule.matches(signs))?.product ?? 'unknown'
}

/** The provider kind of a product. */
export function kindOfProduct(product: ProviderProduct): ProviderKind {
  return product === 'cognito' || product === 'auth0' ? product : 'oidc'
}
