import { AUTH_POLICY } from '@countersign/contract/auth-policy'
import { CA } from '@countersign/contract/ca'
import { EVENT_SINK } from '@countersign/contract/event-sink'
import { CLIENT_SIGNER_MEMBERS, SIGNER } from '@countersign/contract/ext-jwt-signer'
import { IDENTITY } from '@countersign/contract/identity'
import type { ScalarType } from '@countersign/core'
import { AUTH_POLICY_COLUMNS } from './columns/auth-policy-columns.ts'
import { CA_COLUMNS } from './columns/ca-columns.ts'
import { IDENTITY_COLUMNS } from './columns/identity-columns.ts'
import { SIGNER_COLUMNS } from './columns/signer-columns.ts'
import { SINK_COLUMNS } from './columns/sink-columns.ts'
import { bindFilterable, bindMembers, inOrder } from './filter-symbols.ts'
import type { ColumnBinding, FilterTable } from './filter-to-sql.ts'
import { OF_CONTROLLER } from './reads/auth-decision-reads.ts'
import { attributesInOrder } from './reads/role-attribute-reads.ts'
import { IS_PARTIAL_SESSION, SESSION_STATE } from './session-state-sql.ts'

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

/** The order of `filterableFields` in list responses; existing clients rely on it. */
const SIGNER_SYMBOLS = [
  ...['name', 'fingerprint', 'kid', 'issuer', 'certPem', 'commonName', 'notAfter', 'notBefore', 'enabled'],
  ...['claimsProperty', 'useExternalId', 'audience', 'clientId', 'scopes', 'targetToken', 'enrollToCertEnabled'],
  ...['enrollToTokenEnabled', 'enrollAttributeClaimsSelector', 'enrollNameClaimsSelector', 'enrollAuthPolicyId'],
]

/** The symbols of a list's filters and their columns. Other fields cannot be filtered by. */
export const SIGNER_FILTER: FilterTable = {
  table: 'ext_jwt_signers',
  indexed: ['name', 'fingerprint'],
  shared: ['issuer'],
  columns: new Map([
    ...BASE,
    ...inOrder(SIGNER_SYMBOLS, [
      ...bindFilterable(SIGNER.members, SIGNER_COLUMNS),
      ['fingerprint', column('fingerprint')],
      ['commonName', column('common_name')],
      ['notAfter', column('not_after', 'datetime')],
      ['notBefore', column('not_before', 'datetime')],
    ]),
  ]),
}

/** The client view of signers. Only the fields it shows are symbols: a filter by another field would disclose it. */
export const CLIENT_SIGNER_FILTER: FilterTable = {
  table: 'ext_jwt_signers',
  columns: new Map([
    ['id', column('id', 'string', true)],
    ['createdAt', column('created_at', 'datetime', true)],
    ['updatedAt', column('updated_at', 'datetime', true)],
    // Stored as JSON, which is not the form that this view shows.
    ...bindMembers(CLIENT_SIGNER_MEMBERS, SIGNER_COLUMNS).filter(([symbol]) => symbol !== 'scopes'),
  ]),
}

const CA_SYMBOLS = ['name', 'fingerprint', 'isVerified', 'verificationToken', 'isAutoCaEnrollmentEnabled']

export const CA_FILTER: FilterTable = {
  table: 'cas',
  indexed: ['name', 'fingerprint'],
  columns: new Map([
    ...BASE,
    ...inOrder(CA_SYMBOLS, [
      ...bindFilterable(CA.members, CA_COLUMNS),
      ['fingerprint', column('fingerprint', 'string', true)],
      ['isVerified', column('is_verified', 'bool', true)],
      ['verificationToken', column('verification_token', 'string', true)],
    ]),
  ]),
}

const AUTH_POLICY_SYMBOLS = [
  ...['name', 'primary.cert.allowed', 'primary.cert.allowExpiredCerts', 'primary.updb.allowed'],
  ...['primary.updb.minPasswordLength', 'primary.updb.requireSpecialChar', 'primary.updb.requireNumberChar'],
  ...['primary.updb.requireMixedCase', 'primary.updb.maxAttempts', 'primary.extJwt.allowed', 'secondary.requireTotp'],
  ...['secondary.requireExtJwtSigner', 'primary.passkey.allowed', 'secondary.requirePasskey'],
]

export const AUTH_POLICY_FILTER: FilterTable = {
  table: 'auth_policies',
  indexed: ['name'],
  columns: new Map([
    ...BASE,
    ...inOrder(AUTH_POLICY_SYMBOLS, bindFilterable(AUTH_POLICY.members, AUTH_POLICY_COLUMNS)),
  ]),
}

const ATTRIBUTES: ColumnBinding = {
  kind: 'set',
  table: 'identity_attributes',
  ownerColumn: 'identity_id',
  valueColumn: 'attribute',
}

const IDENTITY_SYMBOLS = [
  ...['name', 'externalId', 'attributes', 'roleAttributes', 'type', 'authPolicyId', 'isAdmin', 'isDefaultAdmin'],
  ...[
    'expiresAt',
    'lastLoginAt',
    'disabledAt',
    'disabledUntil',
    'authenticators',
    'certificateExpiresAt',
    'enrollments',
    'enrollmentExpiresAt',
  ],
]

/** The methods of the authenticators or enrollments that an identity has. */
const methodsIn = (table: string): ColumnBinding => {
  return { kind: 'set', table, ownerColumn: 'identity_id', valueColumn: 'method' }
}

const ENROLLMENT_EXPIRES_AT: ColumnBinding = {
  kind: 'expression',
  expression: 'select min(expires_at) from enrollments where enrollments.identity_id = identities.id',
  type: 'datetime',
}

/** When the next of the valid certificates expires. */
const CERTIFICATE_EXPIRES_AT: ColumnBinding = {
  kind: 'expression',
  expression:
    'select min(not_after) from authenticators where authenticators.identity_id = identities.id and not_after > :now',
  type: 'datetime',
}

const LAST_LOGIN_AT: ColumnBinding = {
  kind: 'expression',
  expression: 'select at from last_logins where last_logins.identity_id = identities.id',
  type: 'datetime',
}

export const IDENTITY_FILTER: FilterTable = {
  table: 'identities',
  isCounted: true,
  indexed: ['name', 'externalId'],
  columns: new Map([
    ...BASE,
    ...inOrder(IDENTITY_SYMBOLS, [
      ...bindFilterable(IDENTITY.members, IDENTITY_COLUMNS),
      ['attributes', ATTRIBUTES],
      ['roleAttributes', ATTRIBUTES],
      ['type', column('type_id')],
      ['isDefaultAdmin', column('is_default_admin', 'bool')],
      ['lastLoginAt', LAST_LOGIN_AT],
      ['disabledAt', column('disabled_at', 'datetime')],
      ['disabledUntil', column('disabled_until', 'datetime')],
      ['authenticators', methodsIn('authenticators')],
      ['certificateExpiresAt', CERTIFICATE_EXPIRES_AT],
    ]),
  ]),
}

/** For callers that may see the enrollments of every identity: a filter would disclose them to others. */
export const IDENTITY_ENROLLMENT_FILTER: FilterTable = {
  ...IDENTITY_FILTER,
  columns: new Map([
    ...IDENTITY_FILTER.columns,
    ['enrollments', methodsIn('enrollments')],
    ['enrollmentExpiresAt', ENROLLMENT_EXPIRES_AT],
  ]),
}

/** The distinct attributes of all identities. */
export const ROLE_ATTRIBUTE_FILTER: FilterTable = {
  table: 'identity_role_attributes',
  inIdOrder: attributesInOrder,
  isUnlimitedByDefault: true,
  columns: new Map([['id', column('id', 'string', true)]]),
}

/** Whether the identity of a session meets a condition. */
function whereIdentity(condition: string): ColumnBinding {
  const expression = `exists (select 1 from identities where identities.id = api_sessions.identity_id and ${condition})`
  return { kind: 'expression', expression, type: 'bool', notNull: true }
}

const NAME_OF_IDENTITY = 'select identities.name from identities where identities.id = api_sessions.identity_id'

/** Neither tokens nor their digests are symbols. */
export const API_SESSION_FILTER: FilterTable = {
  table: 'api_sessions',
  shared: ['identity'],
  columns: new Map([
    ...BASE,
    ['identity', column('identity_id', 'string', true)],
    ['authenticator', column('authenticator_id')],
    ['ipAddress', column('ip_address')],
    ['lastActivityAt', column('last_activity_at', 'datetime')],
    ['mfaRequired', whereIdentity('identities.verified_totp_id is not null')],
    ['mfaComplete', whereIdentity('identities.verified_totp_id = api_sessions.passed_totp_id')],
    ['expiresAt', column('expires_at', 'datetime', true)],
    ['method', column('method', 'string', true)],
    ['signerId', column('signer_id')],
    ['client', column('client')],
    ['identityName', { kind: 'expression', expression: NAME_OF_IDENTITY, type: 'string', notNull: true }],
    ['isPartial', IS_PARTIAL_SESSION],
    ['state', SESSION_STATE],
  ]),
}

export const SESSION_CERTIFICATE_FILTER: FilterTable = {
  table: 'api_session_certificates',
  indexed: ['fingerprint'],
  shared: ['apiSession'],
  columns: new Map([
    ...BASE,
    ['apiSession', column('api_session_id', 'string', true)],
    ['fingerprint', column('fingerprint', 'string', true)],
    ['subject', column('subject', 'string', true)],
  ]),
}

export const REVOCATION_FILTER: FilterTable = {
  table: 'revocations',
  columns: new Map([
    ...BASE,
    ['type', column('type', 'string', true)],
    ['expiresAt', column('expires_at', 'datetime', true)],
    ['issuedBefore', column('issued_before', 'datetime')],
  ]),
}

export const EVENT_SINK_FILTER: FilterTable = {
  table: 'event_sinks',
  indexed: ['name'],
  columns: new Map([
    ...BASE,
    ...bindFilterable(EVENT_SINK.members, SINK_COLUMNS),
    ['position', column('position', 'number', true)],
    ['lastDeliveryAt', column('last_delivery_at', 'datetime')],
    ['lastError', column('last_error')],
  ]),
}

export const AUDIT_ENTRY_FILTER: FilterTable = {
  table: 'audit_entries',
  shared: ['actorId', 'objectId', 'requestId'],
  columns: new Map([
    ['id', column('id', 'string', true)],
    ['at', column('at', 'datetime', true)],
    ['createdAt', column('at', 'datetime', true)],
    ['actorId', column('actor_id')],
    ['actorName', column('actor_name')],
    ['action', column('action', 'string', true)],
    ['objectKind', column('object_kind')],
    ['objectId', column('object_id')],
    ['objectName', column('object_name')],
    ['requestId', column('request_id')],
    ['address', column('address')],
    ['node', column('node', 'string', true)],
    ['sequence', column('sequence', 'number', true)],
    ['hash', column('hash', 'string', true)],
    ['previousHash', column('previous_hash', 'string', true)],
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
    ['claimedIdentity', column('claimed_identity')],
    ['identityName', column('identity_name')],
    ['signerName', column('signer_name')],
  ]),
}

/**
 * The decisions that administrators of this controller see: refusals of logins here, and of tokens of its own organization. Those of other organizations
 * are for their members alone.
 */
export const CONTROLLER_DECISION_FILTER: FilterTable = {
  ...AUTH_DECISION_FILTER,
  columns: new Map([
    ...AUTH_DECISION_FILTER.columns,
    ['isOfController', { kind: 'expression', expression: `(${OF_CONTROLLER})`, type: 'bool', notNull: true } as const],
  ]),
}

/** A field that no row has here, but that existing clients filter by. */
const ABSENT: ColumnBinding = { kind: 'expression', expression: 'cast(null as text)', type: 'string' }

const ofIdentity = (name: string, type: ScalarType): ColumnBinding => {
  return { kind: 'parent', table: 'identities', key: 'identity_id', column: name, type }
}

/** Neither tokens nor their digests are symbols. */
export const ENROLLMENT_FILTER: FilterTable = {
  table: 'enrollments',
  indexed: ['identity', 'identityId', 'username'],
  columns: new Map([
    ...BASE,
    ['method', column('method')],
    ['identity', column('identity_id')],
    ['identityId', column('identity_id')],
    ['identity.name', ofIdentity('name', 'string')],
    ['username', column('username')],
    ['caId', column('ca_id')],
    ['edgeRouter', ABSENT],
    ['transitRouter', ABSENT],
    ['expiresAt', column('expires_at', 'datetime')],
  ]),
}

/** `ENROLLMENT_FILTER` and the fields that decide which enrollments a caller sees; callers cannot filter by these. */
export const ENROLLMENT_OWNER_FILTER: FilterTable = {
  ...ENROLLMENT_FILTER,
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
  indexed: ['certFingerprint', 'updbUsername', 'publicKeyPrint'],
  shared: ['identity'],
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
