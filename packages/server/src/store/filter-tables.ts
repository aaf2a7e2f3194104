import type { ScalarType } from '@countersign/core'
import type { ColumnBinding, FilterTable } from './filter-to-sql.ts'

const column = (name: string, type: ScalarType = 'string', notNull?: true): ColumnBinding => {
  return { kind: 'column', column: name, type, ...(notNull && { notNull }) }
}

const BASE: readonly (readonly [string, ColumnBinding])[] = [
  ['id', column('id', 'string', true)],
  ['createdAt', column('created_at', 'datetime', true)],
  ['updatedAt', column('updated_at', 'datetime', true)],
  ['tags', { kind: 'tags', column: 'tags' }],
  ['isSystem', column('is_system', 'bool', true)],
]

const NAME = ['name', column('name', 'string', true)] as const

/** What the fields of a list are called in filters, and where they are stored. What is not here cannot be asked for. */
export const SIGNER_FILTER: FilterTable = {
  table: 'ext_jwt_signers',
  columns: new Map([
    ...BASE,
    NAME,
    ['fingerprint', column('fingerprint')],
    ['kid', column('kid')],
    ['issuer', column('issuer')],
    ['certPem', column('cert_pem')],
    ['commonName', column('common_name')],
    ['notAfter', column('not_after', 'datetime')],
    ['notBefore', column('not_before', 'datetime')],
    ['enabled', column('enabled', 'bool')],
    ['claimsProperty', column('claims_property')],
    ['useExternalId', column('use_external_id', 'bool')],
    ['audience', column('audience')],
    ['clientId', column('client_id')],
    ['scopes', column('scopes')],
    ['targetToken', column('target_token')],
    ['enrollToCertEnabled', column('enroll_to_cert_enabled', 'bool')],
    ['enrollToTokenEnabled', column('enroll_to_token_enabled', 'bool')],
    ['enrollAttributeClaimsSelector', column('enroll_attribute_claims_selector')],
    ['enrollNameClaimsSelector', column('enroll_name_claims_selector')],
    ['enrollAuthPolicyId', column('enroll_auth_policy_id')],
  ]),
}

/** The client view of signers: only what that view shows may be asked for, else a filter would tell the rest. */
export const CLIENT_SIGNER_FILTER: FilterTable = {
  table: 'ext_jwt_signers',
  columns: new Map([
    ['id', column('id', 'string', true)],
    ['createdAt', column('created_at', 'datetime', true)],
    ['updatedAt', column('updated_at', 'datetime', true)],
    NAME,
    ['externalAuthUrl', column('external_auth_url')],
    ['openIdConfigurationUrl', column('open_id_configuration_url')],
    ['clientId', column('client_id')],
    ['audience', column('audience')],
    ['targetToken', column('target_token')],
    ['enrollToCertEnabled', column('enroll_to_cert_enabled', 'bool')],
    ['enrollToTokenEnabled', column('enroll_to_token_enabled', 'bool')],
  ]),
}

export const AUTH_POLICY_FILTER: FilterTable = {
  table: 'auth_policies',
  columns: new Map([
    ...BASE,
    NAME,
    ['primary.cert.allowed', column('cert_allowed', 'bool')],
    ['primary.cert.allowExpiredCerts', column('cert_allow_expired', 'bool')],
    ['primary.updb.allowed', column('updb_allowed', 'bool')],
    ['primary.updb.minPasswordLength', column('updb_min_password_length', 'number')],
    ['primary.updb.requireSpecialChar', column('updb_require_special_char', 'bool')],
    ['primary.updb.requireNumberChar', column('updb_require_number_char', 'bool')],
    ['primary.updb.requireMixedCase', column('updb_require_mixed_case', 'bool')],
    ['primary.updb.maxAttempts', column('updb_max_attempts', 'number')],
    ['primary.extJwt.allowed', column('ext_jwt_allowed', 'bool')],
    ['secondary.requireTotp', column('require_totp', 'bool')],
    ['secondary.requireExtJwtSigner', column('require_ext_jwt_signer_id')],
  ]),
}

const ATTRIBUTES: ColumnBinding = {
  kind: 'set',
  table: 'identity_attributes',
  ownerColumn: 'identity_id',
  valueColumn: 'attribute',
}

export const IDENTITY_FILTER: FilterTable = {
  table: 'identities',
  isCounted: true,
  columns: new Map([
    ...BASE,
    NAME,
    ['externalId', column('external_id')],
    ['attributes', ATTRIBUTES],
    ['roleAttributes', ATTRIBUTES],
    ['type', column('type_id')],
    ['authPolicyId', column('auth_policy_id')],
    ['isAdmin', column('is_admin', 'bool')],
    ['isDefaultAdmin', column('is_default_admin', 'bool')],
  ]),
}

/** The attributes that identities have, each once. */
export const ROLE_ATTRIBUTE_FILTER: FilterTable = {
  table: 'identity_role_attributes',
  isWholeByDefault: true,
  columns: new Map([['id', column('id', 'string', true)]]),
}

/** Whether something holds of the identity of a session. */
function ofItsIdentity(condition: string): ColumnBinding {
  const expression = `exists (select 1 from identities where identities.id = api_sessions.identity_id and ${condition})`
  return { kind: 'expression', expression, type: 'bool', notNull: true }
}

const SESSION_OWNERS = { table: 'session_owners', ownerColumn: 'session_id', valueColumn: 'identity_id' }

/** Neither tokens nor their digests are symbols. */
export const API_SESSION_FILTER: FilterTable = {
  table: 'api_sessions',
  columns: new Map([
    ...BASE,
    ['identity', { kind: 'column', column: 'identity_id', type: 'string', notNull: true, foundBy: SESSION_OWNERS }],
    ['authenticator', column('authenticator_id')],
    ['ipAddress', column('ip_address')],
    ['lastActivityAt', column('last_activity_at', 'datetime')],
    ['mfaRequired', ofItsIdentity('identities.verified_totp_id is not null')],
    ['mfaComplete', ofItsIdentity('identities.verified_totp_id = api_sessions.passed_totp_id')],
  ]),
}

export const SESSION_CERTIFICATE_FILTER: FilterTable = {
  table: 'api_session_certificates',
  columns: new Map([
    ...BASE,
    ['apiSession', column('api_session_id', 'string', true)],
    ['fingerprint', column('fingerprint', 'string', true)],
    ['subject', column('subject', 'string', true)],
  ]),
}

export const AUTH_DECISION_FILTER: FilterTable = {
  table: 'auth_decisions',
  columns: new Map([
    ['id', column('id', 'string', true)],
    ['at', column('at', 'datetime', true)],
    ['createdAt', column('at', 'datetime', true)],
    ['method', column('method', 'string', true)],
    ['reason', column('reason', 'string', true)],
    ['signerId', column('signer_id')],
    ['identityId', column('identity_id')],
    ['remoteAddress', column('remote_address', 'string', true)],
  ]),
}

/** Neither tokens nor their digests are symbols. */
/** What nothing here has; existing clients ask for it all the same. */
const ABSENT: ColumnBinding = { kind: 'expression', expression: 'cast(null as text)', type: 'string' }

export const ENROLLMENT_FILTER: FilterTable = {
  table: 'enrollments',
  columns: new Map([
    ...BASE,
    ['method', column('method')],
    ['identity', column('identity_id')],
    ['identityId', column('identity_id')],
    ['username', column('username')],
    ['caId', ABSENT],
    ['edgeRouter', ABSENT],
    ['transitRouter', ABSENT],
    ['expiresAt', column('expires_at', 'datetime')],
  ]),
}

const ofIdentity = (name: string, type: ScalarType): ColumnBinding => {
  return { kind: 'parent', table: 'identities', key: 'identity_id', column: name, type }
}

/** The same with what decides who may see them; no caller can ask for these. */
export const ENROLLMENT_OWNER_FILTER: FilterTable = {
  table: 'enrollments',
  columns: new Map([
    ...ENROLLMENT_FILTER.columns,
    ['identity.isAdmin', ofIdentity('is_admin', 'bool')],
    ['identity.permissions', ofIdentity('permissions', 'string')],
  ]),
}

/** Neither passwords nor their digests are symbols. */
export const AUTHENTICATOR_FILTER: FilterTable = {
  table: 'authenticators',
  isCounted: true,
  columns: new Map([
    ...BASE,
    ['method', column('method')],
    ['identity', column('identity_id')],
    ['certFingerprint', column('fingerprint')],
    ['certPem', column('cert_pem')],
    ['updbUsername', column('username')],
    ['publicKeyPrint', column('public_key_digest')],
    ['lastAuthResolvedToRoot', column('last_auth_resolved_to_root', 'bool')],
    ['extendRequestedAt', column('extend_requested_at', 'datetime')],
    ['isKeyRollRequested', column('key_roll_requested', 'bool', true)],
  ]),
}
