import { findEntraIssuer, isSharedTenant } from './entra-issuer.ts'
import { type Hint, hint, quoted } from './hint.ts'
import type { HintSubject } from './hint-subject.ts'
import { findIssuerLikeness, type IssuerLikeness } from './issuer-likeness.ts'
import { findSpellingDifferences, splitIssuer } from './issuer-parts.ts'

/** Tells what is different about an issuer that nearly fits; nothing when it fits. */
export function issuerHints({ jws, signer }: HintSubject): Hint[] {
  const { iss } = jws.untrustedClaims
  if (typeof iss !== 'string' || iss === signer.issuer) return []
  const likeness = findIssuerLikeness(iss, signer.issuer)
  return likeness === undefined || likeness === 'same' ? [] : [SENTENCES[likeness](iss, signer)]
}

/** For a token whose issuer is not even near to that of any signer. */
export function unknownIssuerHint({ jws }: Pick<HintSubject, 'jws'>): Hint {
  const { iss } = jws.untrustedClaims
  if (typeof iss !== 'string' || iss === '') {
    const text = 'the token has no text in "iss", so no signer can be found for it: use a token of an OpenID provider'
    return hint('issuer-missing', text)
  }
  return hint(
    'issuer-unknown',
    `no signer has the issuer ${quoted(iss)} or one like it: create a signer for this issuer (discover reads its fields from the provider), or get the token from a provider that has a signer`,
  )
}

type Sentence = (iss: string, signer: HintSubject['signer']) => Hint

const SENTENCES: Readonly<Record<Exclude<IssuerLikeness, 'same'>, Sentence>> = {
  spelling: (iss, signer) => {
    const differences = findSpellingDifferences(iss, signer.issuer).join(' and ')
    const advice = `set the signer's issuer to exactly ${quoted(iss)}`
    return hint('issuer-spelling', `${bothIssuers(iss, signer)}, which differs in ${differences}: ${advice}`)
  },
  'entra-version': (iss, signer) => {
    const isVersion1 = findEntraIssuer(splitIssuer(iss))?.version === 1
    const advice = isVersion1
      ? "the token is of version 1, so set the signer's issuer to the token's, or requestedAccessTokenVersion to 2 in the manifest of the API's app registration"
      : "the token is of version 2, so set the signer's issuer to the token's"
    const text = `${bothIssuers(iss, signer)}, and both are the same Entra tenant: ${advice}`
    return hint('issuer-entra-version', text)
  },
  'entra-tenant': (iss, signer) => {
    const shared = sharedTenantHint(iss, signer)
    if (shared) return shared
    const [theirs, ours] = [iss, signer.issuer].map((issuer) => findEntraIssuer(splitIssuer(issuer))?.tenant ?? '')
    const text = `the token is of the Entra tenant ${quoted(theirs ?? '')}, the signer ${quoted(signer.name)} trusts the tenant ${quoted(ours ?? '')}: sign in to that tenant, or create a signer for the other one`
    return hint('issuer-entra-tenant', text)
  },
  'same-host': (iss, signer) => {
    const text = `${bothIssuers(iss, signer)}, which is another tenant, realm or authorization server on the same host: get the token from there, or create a signer for the token's issuer`
    return hint('issuer-other-tenant', text)
  },
}

/** `common` and the like are for signing in; a token always names the tenant of who signed in. */
function sharedTenantHint(iss: string, signer: HintSubject['signer']): Hint | undefined {
  const ours = findEntraIssuer(splitIssuer(signer.issuer))
  if (!ours || !isSharedTenant(ours.tenant)) return undefined
  const text = `${bothIssuers(iss, signer)}, but no token of Entra ever has that issuer: set the signer's issuer to the one of your own tenant, as it stands in the token`
  return hint('issuer-entra-shared', text)
}

function bothIssuers(iss: string, signer: HintSubject['signer']): string {
  return `the token's iss is ${quoted(iss)}, the signer ${quoted(signer.name)} expects ${quoted(signer.issuer)}`
}
