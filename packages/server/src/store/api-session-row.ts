import { readJsonColumn } from './json-column.ts'
import type { ApiSessionRow } from './schema.ts'

export interface StoredSession {
  readonly id: string
  readonly authenticatorId: string
  readonly ipAddress: string
  readonly configTypes: readonly string[]
  readonly createdAt: number
  readonly updatedAt: number
  readonly endsAt: number
  /** The TOTP enrollment that this session has passed. */
  readonly passedTotpId: string | null
  /** The last recorded use. */
  lastActivityAt: number
  expiresAt: number
}

/** Without the owner and the token digest, which callers read separately. */
export function sessionFromRow(
  row: Omit<ApiSessionRow, 'identity_id' | 'token_digest' | 'tags' | 'is_system'>,
): StoredSession {
  return {
    id: row.id,
    authenticatorId: row.authenticator_id,
    ipAddress: row.ip_address,
    configTypes: readJsonColumn(row.config_types),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    endsAt: row.ends_at,
    passedTotpId: row.passed_totp_id,
    lastActivityAt: row.last_activity_at,
    expiresAt: row.expires_at,
  }
}
