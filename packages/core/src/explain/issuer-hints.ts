import { findEntraIssuer, isSharedTenant } from './entra-issuer.ts'
import { type Hint, hint, quoted } from './hint.ts'
import type { HintSubject } from './hint-subject.ts'
import { findSpellingDifferences, splitIssuer } from './issuer-parts.ts'
import { findIssuerSimilarity, type IssuerSimilarity } from './issuer-similarity.ts'

/** Returns a hint when the token's issuer is similar to the signer's, but not the same. */
export function issuerHints({ jws, signer }: HintSubject): Hint[] {
  const { iss } = jws.untrustedClaims
  if (typeof iss !== 'string' || iss === signer.issuer) return []
  const similarity = findIssuerSimilarity(iss, signer.issuer)
  return similarity === undefined || similarity === 'same' ? [] : [SENTENCES[similarity](iss, signer)]
}

/** The hint for a token whose issuer is similar to that of no signer. */
export function unknownIssuerHint({ jws }: Pick<HintSubject, 'jws'>): Hint {
  const { iss } = jws.untrustedClaims
  if (typeof iss !== 'string' || iss === '') {
    const text = 'the token has no issuer ("iss"), so no signer matches it: use a token of an OpenID provider'
    return hint('issuer-missing', text)
  }
  return hint(
    'issuer-unknown',
    `no signer has the issuer ${quoted(iss)} or a similar one: create a signer for this issuer (discover reads its fields from the provider), or get the token from a provider that has a signer`,
  )
}

/** The hint for a token that is compared with a signer of an unrelated issuer, because the administrator chose that signer. */
export function otherProviderHint({ jws, signer }: HintSubject): Hint {
  const { iss } = jws.untrustedClaims
  if (typeof iss !== 'string' || iss === '') return unknownIssuerHint({ jws })
  const text = `${bothIssuers(iss, signer)}: get the token from that issuer, or compare it with every signer`
  return hint('issuer-other-provider', text)
}

type Sentence = (iss: string, signer: HintSubject['signer']) => Hint

const SENTENCES: Readonly<Record<Exclude<IssuerSimilarity, 'same'>, Sentence>> = {
  spelling: (iss, signer) => {
    const differences = findSpellingDifferences(iss, signer.issuer).join(' and ')
    const advice = `set the signer's issuer to exactly ${quoted(iss)}`
    return hint('issuer-spelling', `${bothIssuers(iss, signer)}, which differs in ${differences}: ${advice}`)
  },
  'entra-version': (iss, signer) => {
    const isVersion1 = findEntraIssuer(splitIssuer(iss))?.version === 1
    const advice = isVersion1
      ? "the token has version 1, so set the signer's issuer to the token's, or requestedAccessTokenVersion to 2 in the manifest of the API's app registration"
      : "the token has version 2, so set the signer's issuer to the token's"
    const text = `${bothIssuers(iss, signer)}, and both belong to the same Entra tenant: ${advice}`
    return hint('issuer-entra-version', text)
  },
  'entra-tenant': (iss, signer) => {
    const shared = sharedTenantHint(iss, signer)
    if (shared) return shared
    const tenantOf = (issuer: string): string => findEntraIssuer(splitIssuer(issuer))?.tenant ?? ''
    const text = `the token is from the Entra tenant ${quoted(tenantOf(iss))}, the signer ${quoted(signer.name)} trusts the tenant ${quoted(tenantOf(signer.issuer))}: log in to the trusted tenant, or create a signer for the token's tenant`
    return hint('issuer-entra-tenant', text)
  },
  'same-host': (iss, signer) => {
    const text = `${bothIssuers(iss, signer)}, which is another tenant, realm or authorization server on the same host: get the token from there, or create a signer for the token's issuer`
    return hint('issuer-other-tenant', text)
  },
}

/** `common` and similar tenants are login endpoints only. A token always names the tenant of its user. */
function sharedTenantHint(iss: string, signer: HintSubject['signer']): Hint | undefined {
  const ours = findEntraIssuer(splitIssuer(signer.issuer))
  if (!ours || !isSharedTenant(ours.tenant)) return undefined
  const text = `${bothIssuers(iss, signer)}, but no token of Entra has that issuer: set the signer's issuer to that of your own tenant, exactly as in the token`
  return hint('issuer-entra-shared', text)
}

function bothIssuers(iss: string, signer: HintSubject['signer']): string {
  return `the token's iss is ${quoted(iss)}, the signer ${quoted(signer.name)} expects ${quoted(signer.issuer)}`
}
