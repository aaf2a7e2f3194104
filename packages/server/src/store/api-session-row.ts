import type { LoginMethodName, RuleClaims } from '@countersign/core'
import { readJsonColumn } from './json-column.ts'
import type { ApiSessionRow } from './schema.ts'

export interface StoredSession {
  readonly id: string
  readonly method: LoginMethodName
  readonly authenticatorId: string
  /** The signer of the token that opened it; null for other methods. */
  readonly signerId: string | null
  /** The session revision of that signer; null also for a session of an earlier release. */
  readonly signerSessionRevision: number | null
  /** The thumbprint of the key that signed the token; null also for a session of an earlier release. */
  readonly keyThumbprint: string | null
  /** What the token said about the login at the provider. */
  readonly acr: string | null
  readonly amr: readonly string[] | null
  readonly authenticatedAt: number | null
  /** The claims that the rule of its policy read then; null when there was none. */
  readonly ruleClaims: RuleClaims | null
  /** When the token expires; null for other methods. */
  readonly tokenExpiresAt: number | null
  /** The third-party CA of the certificate that opened it; null for other logins. */
  readonly caId: string | null
  readonly caRevision: number | null
  readonly ipAddress: string
  readonly configTypes: readonly string[]
  readonly createdAt: number
  /** Later than `createdAt` once a request with a second token was accepted. */
  updatedAt: number
  readonly endsAt: number
  /** The TOTP enrollment that this session has passed. */
  readonly passedTotpId: string | null
  /** The passkey that this session has passed as second factor. */
  readonly passedPasskeyId: string | null
  /** The thumbprint of the key whose proofs its calls need; null when it is not bound. */
  readonly boundKey: string | null
  /** The last recorded use. */
  lastActivityAt: number
  expiresAt: number
}

export function sessionFromRow(
  row: Pick<
    ApiSessionRow,
    | 'id'
    | 'method'
    | 'authenticator_id'
    | 'signer_id'
    | 'signer_revision'
    | 'key_thumbprint'
    | 'acr'
    | 'amr'
    | 'authenticated_at'
    | 'rule_claims'
    | 'token_expires_at'
    | 'ca_id'
    | 'ca_revision'
    | 'ip_address'
    | 'config_types'
    | 'created_at'
    | 'updated_at'
    | 'ends_at'
    | 'passed_totp_id'
    | 'passed_passkey_id'
    | 'bound_key'
    | 'last_activity_at'
    | 'expires_at'
  >,
): StoredSession {
  return {
    id: row.id,
    method: row.method as LoginMethodName,
    authenticatorId: row.authenticator_id,
    signerId: row.signer_id,
    signerSessionRevision: row.signer_revision,
    keyThumbprint: row.key_thumbprint,
    acr: row.acr,
    amr: row.amr === null ? null : readJsonColumn(row.amr),
    authenticatedAt: row.authenticated_at,
    ruleClaims: row.rule_claims === null ? null : readJsonColumn(row.rule_claims),
    tokenExpiresAt: row.token_expires_at,
    caId: row.ca_id,
    caRevision: row.ca_revision,
    ipAddress: row.ip_address,
    configTypes: readJsonColumn(row.config_types),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    endsAt: row.ends_at,
    passedTotpId: row.passed_totp_id,
    passedPasskeyId: row.passed_passkey_id,
    boundKey: row.bound_key,
    lastActivityAt: row.last_activity_at,
    expiresAt: row.expires_at,
  }
}
