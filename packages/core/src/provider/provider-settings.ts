import type { IdentityProviderPatch, IdentityProviderWrite, ProviderKind } from '@countersign/contract'
import { fieldError } from '../app-error.ts'
import { parseSelector } from '../claim/selector.ts'
import { checkPlainText } from '../text/plain-text.ts'
import { isOktaOrganizationServer } from './provider-product.ts'
import { providerProfile } from './provider-profile.ts'

/** What an organization trusts: where tokens come from, with which keys, and what they must say. */
export interface ProviderSettings {
  readonly name: string
  readonly kind: ProviderKind
  readonly issuer: string
  readonly discoveryUrl: string | null
  readonly jwksUri: string
  readonly tokenUrl: string | null
  readonly audience: string | null
  readonly clientIdClaim: string | null
  readonly requiredScope: string | null
  readonly registrationUrl: string | null
  readonly enabled: boolean
}

/** What the provider says about itself; fills what the body leaves out. */
export interface DiscoveredProvider {
  readonly discoveryUrl?: string
  readonly jwksUri?: string
  readonly tokenUrl?: string
  readonly registrationUrl?: string
}

/** Blank text means "not given", as everywhere. */
const given = (text: string | undefined): string | null => text || null

/** The record that a body and the provider's own words make together. */
export function providerFromBody(body: IdentityProviderWrite, discovered: DiscoveredProvider = {}): ProviderSettings {
  return {
    name: body.name,
    kind: body.kind,
    issuer: body.issuer,
    discoveryUrl: given(body.discoveryUrl) ?? discovered.discoveryUrl ?? null,
    jwksUri: given(body.jwksUri) ?? discovered.jwksUri ?? '',
    tokenUrl: given(body.tokenUrl) ?? discovered.tokenUrl ?? null,
    audience: given(body.audience),
    clientIdClaim: given(body.clientIdClaim),
    requiredScope: given(body.requiredScope),
    registrationUrl: given(body.registrationUrl) ?? discovered.registrationUrl ?? null,
    enabled: body.enabled ?? true,
  }
}

export function patchedProvider(current: ProviderSettings, patch: IdentityProviderPatch): ProviderSettings {
  const { organizationId: _, registrationToken: __, ...members } = patch
  const text = (member: keyof ProviderSettings) =>
    member in members ? { [member]: given(members[member as 'audience']) } : {}
  return {
    ...current,
    ...('name' in members && { name: members.name ?? current.name }),
    ...('kind' in members && { kind: members.kind ?? current.kind }),
    ...('issuer' in members && { issuer: members.issuer ?? current.issuer }),
    ...('jwksUri' in members && { jwksUri: members.jwksUri || current.jwksUri }),
    ...('enabled' in members && { enabled: members.enabled ?? current.enabled }),
    ...text('discoveryUrl'),
    ...text('tokenUrl'),
    ...text('audience'),
    ...text('clientIdClaim'),
    ...text('requiredScope'),
    ...text('registrationUrl'),
  }
}

const PLAIN_TEXTS = ['name', 'issuer', 'audience', 'clientIdClaim', 'requiredScope'] as const

/** The rules that a record's own members must keep. Throws on the first that is broken. */
export function validateProvider(provider: ProviderSettings): void {
  const { name, issuer, kind, audience, clientIdClaim, jwksUri } = provider
  if (name === '') throw fieldError('name', 'name is required', name)
  if (issuer === '') throw fieldError('issuer', 'issuer is required', issuer)
  for (const field of PLAIN_TEXTS) {
    const text = provider[field]
    if (text !== null) checkPlainText(field, text)
  }
  if (jwksUri === '') {
    throw fieldError('jwksUri', 'jwksUri is required where the provider has no discovery document', jwksUri)
  }
  if (isOktaOrganizationServer(issuer)) {
    const reason = 'tokens of the organization server can not be relied on; use a custom authorization server'
    throw fieldError('issuer', reason, issuer)
  }
  if (providerProfile(kind, issuer).hasAudience && audience === null) {
    throw fieldError('audience', 'audience is required: without it every token of the provider would do', audience)
  }
  const selector = clientIdClaim === null ? undefined : parseSelector(clientIdClaim)
  if (selector && !selector.ok) throw fieldError('clientIdClaim', `clientIdClaim ${selector.reason}`, clientIdClaim)
}
