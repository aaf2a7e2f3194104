import type { Generated, Selectable } from 'kysely'
import type { AUTH_POLICY_COLUMNS } from './columns/auth-policy-columns.ts'
import type { Bool } from './columns/column.ts'
import type { CellsOf } from './columns/column-map.ts'
import type { IDENTITY_COLUMNS } from './columns/identity-columns.ts'
import type { SIGNER_COLUMNS } from './columns/signer-columns.ts'
import type { HostedTables } from './hosted-schema.ts'

interface Stamped {
  id: string
  /** Nothing here is made by the system itself yet; existing clients filter by it. */
  is_system: Generated<Bool>
  tags: string
  created_at: number
  updated_at: number
}

export interface SignerTable extends Stamped, CellsOf<typeof SIGNER_COLUMNS> {
  /** What a token's kid must equal for a static certificate: the given kid or the certificate's fingerprint. */
  static_kid: string | null
  fingerprint: string | null
  common_name: string | null
  not_before: number | null
  not_after: number | null
  written_by_admin: Bool
  revision: number
}

/** Every pair of issuer and audience that a signer accepts. */
export interface SignerAudienceTable {
  issuer: string
  audience: string
  signer_id: string
}

/** The last good keys of a signer that fetches them. */
export interface SignerKeySetTable {
  signer_id: string
  url: string
  jwks: string
  fetched_at: number
}

export interface AuthPolicyTable extends Stamped, CellsOf<typeof AUTH_POLICY_COLUMNS> {}

export interface AuthPolicySignerTable {
  auth_policy_id: string
  signer_id: string
}

export interface IdentityTable extends Stamped, CellsOf<typeof IDENTITY_COLUMNS> {
  type_id: string
  is_default_admin: Bool
  hosting: string
  env_info: string
  sdk_info: string
  disabled_at: number | null
  disabled_until: number | null
  /** The enrollment of one-time codes that counts; null while there is none, or none that was verified. */
  verified_totp_id: Generated<string | null>
}

export interface IdentityAttributeTable {
  identity_id: string
  attribute: string
}

export interface AuthenticatorTable extends Stamped {
  identity_id: string
  method: string
  username: string | null
  password_digest: string | null
  /** The leaf, and behind it what leads from there to the root. */
  cert_pem: string | null
  /** SHA-1 of the leaf: the certificate that lets its identity in is the one recorded here and no other. */
  fingerprint: string | null
  /** SHA-256 of the leaf's key. */
  public_key_digest: string | null
  /** Whether the last sign-in brought what leads from the leaf to the root; null before the first. */
  last_auth_resolved_to_root: Bool | null
  /** Since when an administrator wants the certificate renewed. */
  extend_requested_at: number | null
  /** Whether he wants another key with it. */
  key_roll_requested: Generated<Bool>
  /** The renewed certificate, until its holder has shown that he has it. */
  pending_cert_pem: string | null
  pending_fingerprint: string | null
  pending_public_key_digest: string | null
}

/** A one-time token that waits for its identity. */
export interface EnrollmentTable extends Stamped {
  identity_id: string
  method: string
  /** The user name that the identity will sign in with; of the method updb only. */
  username: string | null
  token_digest: string
  /** The token, since administrators may read it again: see `Sealing`. */
  sealed_token: string
  expires_at: number
}

export interface ApiSessionTable extends Stamped {
  token_digest: string
  identity_id: string
  authenticator_id: string
  ip_address: string
  config_types: string
  last_activity_at: number
  /** When it ends unless it is used before. */
  expires_at: number
  /** When it ends however much it is used. */
  ends_at: number
  /** The enrollment of one-time codes that a code was shown of in this session. */
  passed_totp_id: Generated<string | null>
}

/** Whose session it is. */
export interface SessionOwnerTable {
  identity_id: string
  created_at: number
  session_id: string
}

/** One-time codes of an identity. */
export interface TotpTable {
  id: string
  identity_id: string
  /** Sealed: base64 of the bytes. */
  secret: string
  /** Sealed: a JSON list. */
  recovery_codes: string
  /** Which of them are used up: bit n for the n-th. */
  spent_recovery_codes: number
  /** The last step whose code was taken; earlier ones no longer are. */
  last_step: number
  created_at: number
  updated_at: number
}

/** Wrong codes that were given for an identity. */
export interface TotpGuessTable {
  identity_id: string
  /** JSON: the instants of the last ones, fewer than lock. */
  wrong_at: string
  locked_until: number
}

export interface SessionCertificateTable extends Stamped {
  api_session_id: string
  subject: string
  fingerprint: string
  cert_pem: string
  not_before: number
  not_after: number
}

export interface ChangeLogTable {
  seq: Generated<number>
  at: number
  entity: string
  entity_id: string
  action: string
  actor_id: string
  /** SHA-256 of the thing before and after; null where there was none, and for what is not kept on record. */
  before_hash: string | null
  after_hash: string | null
  source_address: string | null
}

/** Why a sign-in was refused. */
export interface AuthDecisionTable {
  /** The request id of the refusal. */
  id: string
  at: number
  method: string
  reason: string
  signer_id: string | null
  identity_id: string | null
  remote_address: string
  /** JSON: what "explain" says, reduced to a bounded size. */
  explanation: string
}

/** How many rows a table has that grows too large to be counted, kept by triggers. */
export interface RowCountTable {
  table_name: string
  total: number
}

export interface Database extends HostedTables {
  settings: { name: string; value: string }
  schema_migrations: { version: number; name: string; applied_at: number }
  ext_jwt_signers: SignerTable
  ext_jwt_signer_audiences: SignerAudienceTable
  signer_key_sets: SignerKeySetTable
  auth_policies: AuthPolicyTable
  auth_policy_signers: AuthPolicySignerTable
  identities: IdentityTable
  identity_attributes: IdentityAttributeTable
  authenticators: AuthenticatorTable
  enrollments: EnrollmentTable
  api_sessions: ApiSessionTable
  /** A view of all sessions. */
  session_owners: SessionOwnerTable
  /** In SQLite only: those of `session_owners` that are found by their identity at once. */
  filed_sessions: SessionOwnerTable
  api_session_certificates: SessionCertificateTable
  totps: TotpTable
  totp_guesses: TotpGuessTable
  change_log: ChangeLogTable
  auth_decisions: AuthDecisionTable
  row_counts: RowCountTable
  /** A view: every attribute that some identity has, once. */
  identity_role_attributes: { id: string }
}

export type SignerRow = Selectable<SignerTable>
export type AuthPolicyRow = Selectable<AuthPolicyTable>
export type IdentityRow = Selectable<IdentityTable>
export type AuthenticatorRow = Selectable<AuthenticatorTable>
export type EnrollmentRow = Selectable<EnrollmentTable>
export type ApiSessionRow = Selectable<ApiSessionTable>
export type SessionCertificateRow = Selectable<SessionCertificateTable>
export type TotpRow = Selectable<TotpTable>
export type AuthDecisionRow = Selectable<AuthDecisionTable>
