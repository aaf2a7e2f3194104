import { guessProviderProduct } from '@countersign/contract/provider-kind'
import { findEntraIssuer } from '../explain/entra-issuer.ts'
import { splitIssuer } from '../explain/issuer-parts.ts'
import { isLoopbackHost } from '../text/safe-link.ts'

export type IssuerProduct = 'cognito' | 'auth0' | 'entra-v1' | 'entra-v2' | 'okta' | 'keycloak' | 'other'

/** Recognises the product by the form of its issuer. */
export function productOfIssuer(issuer: string): IssuerProduct {
  const parts = splitIssuer(issuer)
  const entra = findEntraIssuer(parts)
  if (entra) return entra.version === 1 ? 'entra-v1' : 'entra-v2'
  const product = guessProviderProduct(issuer)
  if (product === 'okta' || product === 'auth0') return product
  if (isUserPool(issuer)) return 'cognito'
  return parts.path.includes('/realms/') ? 'keycloak' : 'other'
}

/** Okta does not document the token format of its organization server. Only its custom authorization servers are supported. */
export function isOktaOrganizationServer(issuer: string): boolean {
  return productOfIssuer(issuer) === 'okta' && splitIssuer(issuer).path === ''
}

const COGNITO_HOST = /^cognito-idp(?:-fips)?\.([a-z]{2}(?:-[a-z]+)+-\d)\.amazonaws\.com(?:\.cn)?$/

/** Whether an issuer is a user pool of Cognito, or an emulation on this machine. */
export function isCognitoIssuer(issuer: string): boolean {
  return isUserPool(issuer) || (URL.canParse(issuer) && isLoopbackHost(new URL(issuer).hostname))
}

/** The id of a user pool, with which its issuer ends. */
export function poolIdOf(issuer: string): string {
  return issuer.slice(issuer.lastIndexOf('/') + 1)
}

/** Whether an issuer is a user pool of Amazon: `https://cognito-idp.<region>.amazonaws.com/<region>_<id>`. */
export function isUserPool(issuer: string): boolean {
  if (!URL.canParse(issuer)) return false
  const { hostname, port, pathname, protocol } = new URL(issuer)
  const [, region] = COGNITO_HOST.exec(hostname) ?? []
  const isPool = region !== undefined && new RegExp(`^/${region}_[A-Za-z0-9]+$`).test(pathname)
  return isPool && protocol === 'https:' && port === '' && issuer === `https://${hostname}${pathname}`
}
