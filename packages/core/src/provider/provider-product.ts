import { guessProviderProduct } from '@countersign/contract/provider-kind'
import { findEntraIssuer } from '../explain/entra-issuer.ts'
import { splitIssuer } from '../explain/issuer-parts.ts'

export type IssuerProduct = 'entra-v1' | 'entra-v2' | 'okta' | 'keycloak' | 'other'

/** The enterprise product whose issuer this is, by the forms that these products use. */
export function productOfIssuer(issuer: string): IssuerProduct {
  const parts = splitIssuer(issuer)
  const entra = findEntraIssuer(parts)
  if (entra) return entra.version === 1 ? 'entra-v1' : 'entra-v2'
  if (guessProviderProduct(issuer) === 'okta') return 'okta'
  return parts.path.includes('/realms/') ? 'keycloak' : 'other'
}

/** Okta's organization server signs tokens whose form it does not promise: only its custom servers can be relied on. */
export function isOktaOrganizationServer(issuer: string): boolean {
  return productOfIssuer(issuer) === 'okta' && splitIssuer(issuer).path === ''
}
