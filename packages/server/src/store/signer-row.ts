import type { SignerSettings } from '@countersign/core'
import { readJsonColumn } from './json-column.ts'
import type { SignerRow } from './schema.ts'

/** A signer as it is stored: its settings, what its certificate says, and the marks that the store puts on it. */
export interface StoredSigner extends SignerSettings {
  readonly id: string
  readonly certificate: SignerCertificateFacts | null
  readonly writtenByAdmin: boolean
  readonly revision: number
  readonly createdAt: number
  readonly updatedAt: number
  /** Some of what is stored cannot be read: it is shown without that, and is off. */
  readonly isDamaged?: true
}

/** What a static certificate says about itself. */
export interface SignerCertificateFacts {
  readonly fingerprint: string
  readonly commonName: string
  readonly notBefore: number
  readonly notAfter: number
}

/** For reading: one row that cannot be read shall not hide the others. */
export function signerFromRow(row: SignerRow): StoredSigner {
  try {
    return readSignerRow(row)
  } catch {
    const readable = { ...row, scopes: null, required_claims: null, tags: '{}' }
    return { ...readSignerRow(readable), enabled: false, isDamaged: true }
  }
}

/** For writing: throws for a row of which something would be lost. */
export function readSignerRow(row: SignerRow): StoredSigner {
  return {
    id: row.id,
    name: row.name,
    enabled: Boolean(row.enabled),
    issuer: row.issuer,
    audience: row.audience,
    jwksEndpoint: row.jwks_endpoint,
    jwksCaPem: row.jwks_ca_pem,
    certPem: row.cert_pem,
    kid: row.kid,
    claimsProperty: row.claims_property,
    useExternalId: Boolean(row.use_external_id),
    externalAuthUrl: row.external_auth_url,
    openIdConfigurationUrl: row.open_id_configuration_url,
    clientId: row.client_id,
    scopes: row.scopes === null ? null : readJsonColumn(row.scopes),
    targetToken: row.target_token as SignerSettings['targetToken'],
    enrollToCertEnabled: Boolean(row.enroll_to_cert_enabled),
    enrollToTokenEnabled: Boolean(row.enroll_to_token_enabled),
    enrollAttributeClaimsSelector: row.enroll_attribute_claims_selector,
    enrollNameClaimsSelector: row.enroll_name_claims_selector,
    enrollAuthPolicyId: row.enroll_auth_policy_id,
    clockSkewSeconds: row.clock_skew_seconds,
    maxTokenAgeSeconds: row.max_token_age_seconds,
    requiredClaims: row.required_claims === null ? null : readJsonColumn(row.required_claims),
    tags: readJsonColumn(row.tags),
    certificate: certificateFacts(row),
    writtenByAdmin: Boolean(row.written_by_admin),
    revision: row.revision,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

function certificateFacts(row: SignerRow): SignerCertificateFacts | null {
  if (row.fingerprint === null) return null
  return {
    fingerprint: row.fingerprint,
    commonName: row.common_name ?? '',
    notBefore: row.not_before ?? 0,
    notAfter: row.not_after ?? 0,
  }
}

/** The columns of a signer's settings; the marks (id, revision, times) are the writer's. */
export function signerColumns(signer: SignerSettings, certificate: SignerCertificateFacts | null) {
  return {
    name: signer.name,
    enabled: signer.enabled,
    issuer: signer.issuer,
    audience: signer.audience,
    jwks_endpoint: signer.jwksEndpoint,
    jwks_ca_pem: signer.jwksCaPem,
    cert_pem: signer.certPem,
    kid: signer.kid,
    static_kid: certificate && (signer.kid ?? certificate.fingerprint),
    fingerprint: certificate?.fingerprint ?? null,
    common_name: certificate?.commonName ?? null,
    not_before: certificate?.notBefore ?? null,
    not_after: certificate?.notAfter ?? null,
    claims_property: signer.claimsProperty,
    use_external_id: signer.useExternalId,
    external_auth_url: signer.externalAuthUrl,
    open_id_configuration_url: signer.openIdConfigurationUrl,
    client_id: signer.clientId,
    scopes: signer.scopes && JSON.stringify(signer.scopes),
    target_token: signer.targetToken,
    enroll_to_cert_enabled: signer.enrollToCertEnabled,
    enroll_to_token_enabled: signer.enrollToTokenEnabled,
    enroll_attribute_claims_selector: signer.enrollAttributeClaimsSelector,
    enroll_name_claims_selector: signer.enrollNameClaimsSelector,
    enroll_auth_policy_id: signer.enrollAuthPolicyId,
    clock_skew_seconds: signer.clockSkewSeconds,
    max_token_age_seconds: signer.maxTokenAgeSeconds,
    required_claims: signer.requiredClaims && JSON.stringify(signer.requiredClaims),
    tags: JSON.stringify(signer.tags),
  }
}
