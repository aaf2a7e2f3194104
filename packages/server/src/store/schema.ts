import type { Generated, Selectable } from 'kysely'
import type { AUTH_POLICY_COLUMNS } from './columns/auth-policy-columns.ts'
import type { CA_COLUMNS } from './columns/ca-columns.ts'
import type { Bool } from './columns/column.ts'
import type { CellsOf } from './columns/column-map.ts'
import type { IDENTITY_COLUMNS } from './columns/identity-columns.ts'
import type { SIGNER_COLUMNS } from './columns/signer-columns.ts'
import type { TRUST_COLUMNS } from './columns/trust-columns.ts'
import type { EventTables } from './event-schema.ts'
import type { HostedTables } from './hosted-schema.ts'
import type { OidcTables } from './oidc-schema.ts'
import type { RevocationTables } from './revocation-schema.ts'
import type { ScimTables } from './scim-schema.ts'

interface Stamped {
  id: string
  /** Always false so far; existing clients filter by it. */
  is_system: Generated<Bool>
  tags: string
  created_at: number
  updated_at: number
}

export interface SignerTable extends Stamped, CellsOf<typeof SIGNER_COLUMNS>, CellsOf<typeof TRUST_COLUMNS> {
  /** For a static certificate, the `kid` that tokens must have: the configured one or the certificate's fingerprint. */
  static_kid: string | null
  fingerprint: string | null
  common_name: string | null
  not_before: number | null
  not_after: number | null
  /** The facts of `certPems`; null without them. */
  certificates: Generated<string | null>
  /** The thumbprints of keys that were taken from `jwks` or `certPems` since `session_revision`: sessions that rest on them have ended. */
  removed_keys: Generated<string>
  /** Sealed. */
  jwks_authorization: Generated<string | null>
  near_misses: string
  /** `sharedSignals.jwksUri`. */
  signals_jwks_uri: Generated<string | null>
  revision: number
  /** Grows with each change that ends the sessions of its tokens. */
  session_revision: Generated<number>
}

/** A third-party CA. */
export interface CaTable extends Stamped, CellsOf<typeof CA_COLUMNS>, CellsOf<typeof TRUST_COLUMNS> {
  cert_pem: string
  /** SHA-1 of the first certificate. */
  fingerprint: string
  /** SHA-256 of its encoded subject. */
  subject_digest: string
  is_verified: Bool
  verification_token: string
  /** Grows with each change that ends the sessions of its certificates. */
  revision: number
}

/** A certificate between a CA and those that log in. Clients send it, but a resumed TLS connection does not keep it. */
export interface CaIntermediateTable {
  ca_id: string
  fingerprint: string
  /** SHA-256 of its encoded subject. */
  subject_digest: string
  cert_pem: string
  noted_at: number
}

/** Every pair of issuer and audience that a signer accepts. */
export interface SignerAudienceTable {
  issuer: string
  audience: string
  signer_id: string
}

/** Every certificate of a signer, whose keys verify tokens. */
export interface SignerCertificateTable {
  fingerprint: string
  signer_id: string
}

/** The last keys fetched from a signer's JWKS endpoint, or pushed for it. */
export interface SignerKeySetTable {
  signer_id: string
  url: string
  ca_digest: string
  jwks: string
  fetched_at: number
  /** The thumbprints of the last keys that were not empty. */
  good_thumbprints: Generated<string | null>
  /** A later set that waits for a confirmation. */
  pending_jwks: Generated<string | null>
  pending_at: Generated<number | null>
}

/** The budget of a key endpoint for fetches that unknown kids cause. */
export interface KeyFetchTable {
  endpoint: string
  full_at: number
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
  /** The verified TOTP enrollment; null without one. */
  verified_totp_id: Generated<string | null>
  has_expired: Generated<Bool>
  enrolled_by_signer_id: Generated<string | null>
  /** A signer whose security event disables the identity; null when it is enabled, or was disabled otherwise. */
  disabled_by_signer_id: Generated<string | null>
  /** JSON: see `StoredIdentity`. */
  account_events: Generated<string>
  /** JSON: see `StoredIdentity`. */
  synced_tokens: Generated<string>
}

/** One row per attribute and origin. */
export interface IdentityAttributeTable {
  identity_id: string
  attribute: string
  /** The signer that supplies the attribute; empty for an administrator's. */
  signer_id: string
  /** How the signer supplies it: an `AttributeChannel`; empty for an administrator's. */
  channel: string
}

/** The subject of a deleted identity, which `provisionOnLogin` does not create again for some time. */
export interface DeletedIdentityTable {
  id: string
  external_id: string | null
  deleted_at: number
}

export interface AuthenticatorTable extends Stamped {
  identity_id: string
  method: string
  username: string | null
  password_digest: string | null
  /** The leaf, followed by its chain to the root. */
  cert_pem: string | null
  /** SHA-1 of the leaf. Only the certificate recorded here can log its identity in. */
  fingerprint: string | null
  /** SHA-256 of the leaf's key. */
  public_key_digest: string | null
  /** The third-party CA that issued the certificate, by its fingerprint: a CA can be deleted and registered again. Null for our own. */
  ca_fingerprint: Generated<string | null>
  /** Whether the last login sent the whole chain to the root; null before the first login. */
  last_auth_resolved_to_root: Bool | null
  /** When an administrator requested a renewal of the certificate. */
  extend_requested_at: number | null
  /** Whether the renewal must have a new key. */
  key_roll_requested: Generated<Bool>
  /** The renewed certificate, until the client confirms it. */
  pending_cert_pem: string | null
  pending_fingerprint: string | null
  pending_public_key_digest: string | null
  /** When the certificate expires; null without one, and until upkeep has read it from a certificate of an earlier release. */
  not_after: Generated<number | null>
  pending_not_after: Generated<number | null>
  /** When a token of the signer last enrolled or renewed the certificate. */
  token_seen_at: Generated<number | null>
  /** Whether a signer that was not trusted enrolled the certificate. */
  is_from_untrusted: Generated<Bool>
}

/** A one-time token that has not been redeemed. */
export interface EnrollmentTable extends Stamped {
  identity_id: string
  method: string
  /** The user name of the future password login; null for other methods. */
  username: string | null
  /** The third-party CA whose certificate the identity must present; null for other methods. */
  ca_id: Generated<string | null>
  token_digest: string
  /** The token, because administrators can read it again: see `Sealing`. */
  sealed_token: string
  /** The identity that created the token; null when it is not known. */
  created_by: Generated<string | null>
  expires_at: number
}

/** Tokens of a signer that were issued until `revoked_at` are refused. */
export interface TokenRevocationTable {
  signer_id: string
  /** Which tokens: see `revocationKey`. */
  revocation_key: string
  revoked_at: number
  /** A `RevocationCause`. */
  cause: string
}

/** A logout token or security event token that has been used. */
export interface UsedEventTokenTable {
  signer_id: string
  /** SHA-256 of its `jti`. */
  id_digest: string
  /** From then on the token is too old to be used. */
  expires_at: number
}

/** What a credential that is accepted once was used for: a token by an enrollment to token use, which may be followed by one login, or by a login or an enrollment to a certificate; or a proof. */
export type CredentialPurpose = 'enrollment' | 'login' | 'proof'

/** A token or proof that has been used. */
export interface UsedCredentialTable {
  /** SHA-256 of what identifies it. */
  digest: string
  used_for: CredentialPurpose
  /** From then on it is too old to be used. */
  expires_at: number
}

/** When an identity last logged in; no row before its first login. */
export interface LastLoginTable {
  identity_id: string
  at: number
  /** A `LoginMethodName`. */
  method: string
  /** This login and earlier ones: see `readRecentLogins`. */
  recent: Generated<string>
}

export interface ApiSessionTable extends Stamped {
  token_digest: string
  identity_id: string
  /** How the session was opened: a `LoginMethodName`. */
  method: Generated<string>
  authenticator_id: string
  /** The third-party CA of a login by certificate, and its revision then. */
  ca_id: Generated<string | null>
  ca_revision: Generated<number | null>
  /** This column and the following ones are set for a login by token. */
  signer_id: Generated<string | null>
  /** The signer's `session_revision` then; null for a session of an earlier release. */
  signer_revision: Generated<number | null>
  /** The external id by which the token or the certificate named the identity; null when it named it otherwise. */
  external_id: Generated<string | null>
  /** The token's `sub`. */
  subject: Generated<string | null>
  /** The token's `sid`. */
  provider_session_id: Generated<string | null>
  /** When the token was issued; null when it did not say so. */
  token_issued_at: Generated<number | null>
  /** The thumbprint of the key that signed the token; null for a session of an earlier release. */
  key_thumbprint: Generated<string | null>
  /** When the signer starts to refuse the token. */
  token_expires_at: Generated<number | null>
  /** The token's `acr`. */
  acr: Generated<string | null>
  /** JSON: the token's `amr`. */
  amr: Generated<string | null>
  /** The token's `auth_time`. */
  authenticated_at: Generated<number | null>
  /** JSON: the claims that the rule of the policy reads. */
  rule_claims: Generated<string | null>
  ip_address: string
  /** The program that opened it, in its own words, unverified. Null when it named none, and for sessions of earlier releases. */
  client: Generated<string | null>
  config_types: string
  last_activity_at: number
  /** When it ends unless it is used before that. */
  expires_at: number
  /** When it ends in any case. */
  ends_at: number
  /** The TOTP enrollment that this session has passed. */
  passed_totp_id: Generated<string | null>
  /** The passkey that this session has passed as second factor. */
  passed_passkey_id: Generated<string | null>
  /** The thumbprint of the key whose proofs its calls need (RFC 9449). */
  bound_key: Generated<string | null>
}

/** A passkey of an identity. */
export interface PasskeyTable {
  id: string
  identity_id: string
  name: string
  /** The domain below which it works. */
  rp_id: string
  /** Base64url, unique over all identities. */
  credential_id: string
  /** Base64url of the COSE key. */
  public_key: string
  /** The signature counter of the last use; 0 for authenticators that do not count. */
  counter: number
  /** JSON: how the browser reaches the authenticator. */
  transports: string
  aaguid: string
  is_backup_eligible: Bool
  is_backed_up: Bool
  last_used_at: number | null
  created_at: number
  updated_at: number
}

/** Challenges that an identity has used, until they expire. */
export interface SpentChallengeTable {
  identity_id: string
  challenge_digest: string
  expires_at: number
}

/** The TOTP enrollment of an identity. */
export interface TotpTable {
  id: string
  identity_id: string
  /** Sealed: base64 of the bytes. */
  secret: string
  /** Sealed: a JSON list. */
  recovery_codes: string
  /** Bit n is set when the n-th recovery code has been used. */
  spent_recovery_codes: number
  /** The time step of the last accepted code; codes of this step and earlier ones are refused. */
  last_step: number
  /** The session that sets them up. Until they are verified, they do not exist for other sessions. */
  session_id: Generated<string | null>
  created_at: number
  updated_at: number
}

/** Wrong codes entered for an identity. */
export interface TotpGuessTable {
  identity_id: string
  /** JSON: the times of the latest wrong codes; fewer than the number that locks. */
  wrong_at: string
  locked_until: number
  /** The number of locks in a row. */
  locks: Generated<number>
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
  /** SHA-256 of the entity before and after; null where it did not exist or is not recorded. */
  before_hash: string | null
  after_hash: string | null
  source_address: string | null
  /** The organization of a record of the hosted API, whose members can read the entry. */
  organization_id: string | null
  /** The name of such a record, and a JSON array of its members that changed. */
  entity_name: string | null
  changed_members: string | null
}

/** Why a login was refused. */
/** The verified claims of a recent login by token. A later login with the same claims replaces it. */
export interface KeptLoginTable {
  signer_id: string
  /** Identifies identity claim, kept claims and outcome. */
  digest: string
  /** Null when no identity has the claim. */
  identity_id: string | null
  /** `accepted`, or the reason of the refusal. */
  outcome: string
  sealed_claims: string
  at: number
}

export interface AuthDecisionTable {
  /** The request id of the refusal. */
  id: string
  at: number
  method: string
  reason: string
  signer_id: string | null
  identity_id: string | null
  /** What the credential names, and the names of identity and signer at that time. Null in rows of earlier releases. */
  claimed_identity: string | null
  identity_name: string | null
  signer_name: string | null
  remote_address: string
  /** JSON: the output of "explain", reduced to a bounded size. */
  explanation: string
  /** The organization of the API account, whose members can read the decision; null for logins on this controller. */
  organization_id: string | null
}

/** The number of rows of a large table, maintained by triggers. */
export interface RowCountTable {
  table_name: string
  total: number
}

export interface Database extends EventTables, HostedTables, OidcTables, RevocationTables, ScimTables {
  settings: { name: string; value: string }
  schema_migrations: { version: number; name: string; applied_at: number }
  ext_jwt_signers: SignerTable
  ext_jwt_signer_audiences: SignerAudienceTable
  ext_jwt_signer_certificates: SignerCertificateTable
  signer_key_sets: SignerKeySetTable
  /** The last keys fetched from `sharedSignals.jwksUri`. */
  signal_key_sets: SignerKeySetTable
  key_fetches: KeyFetchTable
  cas: CaTable
  ca_intermediates: CaIntermediateTable
  auth_policies: AuthPolicyTable
  auth_policy_signers: AuthPolicySignerTable
  identities: IdentityTable
  last_logins: LastLoginTable
  identity_attributes: IdentityAttributeTable
  deleted_identities: DeletedIdentityTable
  authenticators: AuthenticatorTable
  enrollments: EnrollmentTable
  api_sessions: ApiSessionTable
  /** A view of all sessions by identity. */
  api_session_certificates: SessionCertificateTable
  token_revocations: TokenRevocationTable
  used_event_tokens: UsedEventTokenTable
  used_credentials: UsedCredentialTable
  totps: TotpTable
  passkeys: PasskeyTable
  spent_challenges: SpentChallengeTable
  totp_guesses: TotpGuessTable
  change_log: ChangeLogTable
  auth_decisions: AuthDecisionTable
  kept_logins: KeptLoginTable
  row_counts: RowCountTable
  /** A view: the distinct attributes of all identities. */
  identity_role_attributes: { id: string }
}

export type SignerRow = Selectable<SignerTable>
export type CaRow = Selectable<CaTable>
export type AuthPolicyRow = Selectable<AuthPolicyTable>
export type IdentityRow = Selectable<IdentityTable>
export type AuthenticatorRow = Selectable<AuthenticatorTable>
export type EnrollmentRow = Selectable<EnrollmentTable>
export type ApiSessionRow = Selectable<ApiSessionTable>
export type SessionCertificateRow = Selectable<SessionCertificateTable>
export type PasskeyRow = Selectable<PasskeyTable>
export type TotpRow = Selectable<TotpTable>
export type KeptLoginRow = Selectable<KeptLoginTable>
export type AuthDecisionRow = Selectable<AuthDecisionTable>
