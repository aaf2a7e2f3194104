import { guessProviderProduct } from '@countersign/contract/provider-kind'
import { findEntraIssuer } from '../explain/entra-issuer.ts'
import { splitIssuer } from '../explain/issuer-parts.ts'

export type IssuerProduct = 'entra-v1' | 'entra-v2' | 'okta' | 'keycloak' | 'other'

/** Recognises the product by the form of its issuer. */
export function productOfIssuer(issuer: string): IssuerProduct {
  const parts = splitIssuer(issuer)
  const entra = findEntraIssuer(parts)
  if (entra) return entra.version === 1 ? 'entra-v1' : 'entra-v2'
  if (guessProviderProduct(issuer) === 'okta') return 'okta'
  return parts.path.includes('/realms/') ? 'keycloak' : 'other'
}

/** Okta does not document the token format of its organization server. Only its custom authorization servers are supported. */
export function isOktaOrganizationServer(issuer: string): boolean {
  return productOfIssuer(issuer) === 'okta' && splitIssuer(issuer).path === ''
}
