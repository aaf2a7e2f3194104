import type { ProviderKind } from '@countersign/contract'
import type { ProviderSettings } from '@countersign/core'
import type { IdentityProviderRow } from './hosted-schema.ts'

/** A provider record as it is stored. */
export interface StoredProvider extends ProviderSettings {
  readonly id: string
  readonly organizationId: string
  /** Sealed. */
  readonly registrationToken: string | null
  readonly revision: number
  readonly createdAt: number
  readonly updatedAt: number
}

export function providerFromRow(row: IdentityProviderRow): StoredProvider {
  return {
    id: row.id,
    organizationId: row.organization_id,
    name: row.name,
    kind: row.kind as ProviderKind,
    issuer: row.issuer,
    discoveryUrl: row.discovery_url,
    jwksUri: row.jwks_uri,
    tokenUrl: row.token_url,
    audience: row.audience,
    clientIdClaim: row.client_id_claim,
    requiredScope: row.required_scope,
    registrationUrl: row.registration_url,
    registrationToken: row.registration_token,
    enabled: Boolean(row.enabled),
    revision: row.revision,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

export function providerColumns(provider: ProviderSettings) {
  return {
    name: provider.name,
    kind: provider.kind,
    issuer: provider.issuer,
    discovery_url: provider.discoveryUrl,
    jwks_uri: provider.jwksUri,
    token_url: provider.tokenUrl,
    audience: provider.audience,
    client_id_claim: provider.clientIdClaim,
    required_scope: provider.requiredScope,
    registration_url: provider.registrationUrl,
    enabled: provider.enabled,
  }
}
