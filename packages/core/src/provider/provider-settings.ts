import {
  IDENTITY_PROVIDER,
  type IdentityProviderPatch,
  type IdentityProviderWrite,
  type ProviderSettings,
} from '@countersign/contract/organization'
import { fieldError } from '../app-error.ts'
import { parseSelector } from '../claim/selector.ts'
import {
  isOrganizationAudience,
  organizationAudience as organizationAudienceOf,
} from '../hosted/organization-audience.ts'
import { newSettings, patchedSettings } from '../resource/apply-body.ts'
import { checkPlainText } from '../text/plain-text.ts'
import { checkAdministration, nextAdministration, readAdministration, registrationAt } from './administration.ts'
import { isCognitoIssuer, isOktaOrganizationServer } from './provider-product.ts'
import { providerProfile } from './provider-profile.ts'

export type { ProviderSettings } from '@countersign/contract/organization'

/** Members from the provider's discovery document, for those that the body omits. */
export interface DiscoveredProvider {
  readonly discoveryUrl?: string
  readonly jwksUri?: string
  readonly tokenUrl?: string
  readonly registrationUrl?: string
}

const RULES = { members: IDENTITY_PROVIDER.members, readers: { administration: readAdministration } }

/**
 * The record that a POST creates, completed from the discovery document. Without an audience, a record of the kind `oidc` has that of its organization;
 * a blank one is not a default.
 */
export function providerFromBody(
  body: IdentityProviderWrite,
  discovered: DiscoveredProvider = {},
  organizationAudience: string | null = null,
): ProviderSettings {
  const provider = newSettings<ProviderSettings>(RULES, body)
  const isOpen = body.audience === undefined && body.kind === 'oidc'
  return {
    ...provider,
    audience: isOpen ? organizationAudience : provider.audience,
    discoveryUrl: provider.discoveryUrl ?? discovered.discoveryUrl ?? null,
    jwksUri: provider.jwksUri || (discovered.jwksUri ?? ''),
    tokenUrl: provider.tokenUrl ?? discovered.tokenUrl ?? null,
    administration: nextAdministration(null, body, registrationAt(discovered.registrationUrl)),
  }
}

/**
 * The record after a PUT, completed from the discovery document. An administration that the body does not name is kept, unless it is one that the
 * discovery document names.
 */
export function replacedProvider(
  { administration }: ProviderSettings,
  body: IdentityProviderWrite,
  discovered: DiscoveredProvider = {},
  organizationAudience: string | null = null,
): ProviderSettings {
  const isKept = administration !== null && administration.kind !== 'rfc7591'
  const unnamed = isKept ? administration : registrationAt(discovered.registrationUrl)
  const provider = providerFromBody(body, discovered, organizationAudience)
  return { ...provider, administration: nextAdministration(administration, body, unnamed) }
}

export function patchedProvider(current: ProviderSettings, patch: IdentityProviderPatch): ProviderSettings {
  const next = patchedSettings<ProviderSettings>(RULES, current, patch)
  const administration = nextAdministration(current.administration, patch)
  return next === current && administration === current.administration ? current : { ...next, administration }
}

const PLAIN_TEXTS = ['name', 'issuer', 'audience', 'clientIdClaim', 'requiredScope'] as const

/** Throws for the audience of another organization: tokens for that one must not act in this one. */
export function checkOwnAudience(organizationId: string, { audience }: Pick<ProviderSettings, 'audience'>): void {
  if (audience === null || !isOrganizationAudience(audience)) return
  if (audience === organizationAudienceOf(organizationId)) return
  throw fieldError('audience', 'audience is that of another organization', audience)
}

/** Throws for the first member that is invalid by itself. */
export function validateProvider(provider: ProviderSettings): void {
  const { name, issuer, kind, audience, clientIdClaim, jwksUri, administration } = provider
  if (name === '') throw fieldError('name', 'name is required', name)
  if (issuer === '') throw fieldError('issuer', 'issuer is required', issuer)
  for (const field of PLAIN_TEXTS) {
    const text = provider[field]
    if (text !== null) checkPlainText(field, text)
  }
  if (jwksUri === '') {
    throw fieldError('jwksUri', 'jwksUri is required when the provider has no discovery document', jwksUri)
  }
  if (isOktaOrganizationServer(issuer)) {
    const reason = 'the organization server of Okta is not supported; use a custom authorization server'
    throw fieldError('issuer', reason, issuer)
  }
  if (kind === 'cognito' && !isCognitoIssuer(issuer)) {
    const reason =
      'the issuer of a user pool is https://cognito-idp.<region>.amazonaws.com/<region>_<id>; for others use oidc'
    throw fieldError('issuer', reason, issuer)
  }
  if (providerProfile(kind, issuer).hasAudience && audience === null) {
    throw fieldError(
      'audience',
      'audience is required: without it every token of the provider would be accepted',
      audience,
    )
  }
  if (administration !== null) checkAdministration(administration)
  if (administration?.kind === 'cognito' && !isCognitoIssuer(issuer)) {
    const reason = 'an administration of the kind cognito needs the issuer of a user pool'
    throw fieldError('administration.kind', reason, administration.kind)
  }
  const selector = clientIdClaim === null ? undefined : parseSelector(clientIdClaim)
  if (selector && !selector.ok) throw fieldError('clientIdClaim', `clientIdClaim ${selector.reason}`, clientIdClaim)
}
