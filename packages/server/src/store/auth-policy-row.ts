import type { AuthPolicySettings } from '@countersign/core'
import { readJsonColumn } from './json-column.ts'
import type { AuthPolicyRow } from './schema.ts'

export interface StoredAuthPolicy extends AuthPolicySettings {
  readonly id: string
  readonly createdAt: number
  readonly updatedAt: number
}

export function authPolicyFromRow(row: AuthPolicyRow, allowedSigners: readonly string[]): StoredAuthPolicy {
  return {
    id: row.id,
    name: row.name,
    primary: {
      cert: { allowed: Boolean(row.cert_allowed), allowExpiredCerts: Boolean(row.cert_allow_expired) },
      extJwt: { allowed: Boolean(row.ext_jwt_allowed), allowedSigners },
      updb: {
        allowed: Boolean(row.updb_allowed),
        minPasswordLength: row.updb_min_password_length,
        requireSpecialChar: Boolean(row.updb_require_special_char),
        requireNumberChar: Boolean(row.updb_require_number_char),
        requireMixedCase: Boolean(row.updb_require_mixed_case),
        maxAttempts: row.updb_max_attempts,
        lockoutDurationMinutes: row.updb_lockout_duration_minutes,
      },
    },
    secondary: { requireTotp: Boolean(row.require_totp), requireExtJwtSigner: row.require_ext_jwt_signer_id },
    tags: readJsonColumn(row.tags),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

/** The columns of a policy; its allowed signers are rows of their own. */
export function authPolicyColumns({ name, primary, secondary, tags }: AuthPolicySettings) {
  return {
    name,
    cert_allowed: primary.cert.allowed,
    cert_allow_expired: primary.cert.allowExpiredCerts,
    ext_jwt_allowed: primary.extJwt.allowed,
    updb_allowed: primary.updb.allowed,
    updb_min_password_length: primary.updb.minPasswordLength,
    updb_require_special_char: primary.updb.requireSpecialChar,
    updb_require_number_char: primary.updb.requireNumberChar,
    updb_require_mixed_case: primary.updb.requireMixedCase,
    updb_max_attempts: primary.updb.maxAttempts,
    updb_lockout_duration_minutes: primary.updb.lockoutDurationMinutes,
    require_totp: secondary.requireTotp,
    require_ext_jwt_signer_id: secondary.requireExtJwtSigner,
    tags: JSON.stringify(tags),
  }
}
