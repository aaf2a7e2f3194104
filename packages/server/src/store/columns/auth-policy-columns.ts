import type { AuthPolicySettings } from '@countersign/core'
import { bool, int, intOrNull, Joined, json, named, text, textOrNull } from './column.ts'
import type { ColumnsFor } from './column-map.ts'

/** Where the settings of an authentication policy are stored; its allowed signers are in another table. */
export const AUTH_POLICY_COLUMNS = {
  name: text(),
  primary: {
    cert: { allowed: named('cert_allowed', bool()), allowExpiredCerts: named('cert_allow_expired', bool()) },
    extJwt: {
      allowed: named('ext_jwt_allowed', bool()),
      allowedSigners: new Joined<readonly string[]>(),
      requireAcr: named('ext_jwt_require_acr', json<readonly string[]>()),
      requireAmr: named('ext_jwt_require_amr', json<readonly string[]>()),
      maxAuthAgeSeconds: named('ext_jwt_max_auth_age_seconds', intOrNull()),
    },
    updb: {
      allowed: named('updb_allowed', bool()),
      minPasswordLength: named('updb_min_password_length', int()),
      requireSpecialChar: named('updb_require_special_char', bool()),
      requireNumberChar: named('updb_require_number_char', bool()),
      requireMixedCase: named('updb_require_mixed_case', bool()),
      maxAttempts: named('updb_max_attempts', int()),
      lockoutDurationMinutes: named('updb_lockout_duration_minutes', int()),
    },
    passkey: { allowed: named('passkey_allowed', bool()) },
  },
  secondary: {
    requireTotp: bool(),
    requireExtJwtSigner: named('require_ext_jwt_signer_id', textOrNull()),
    requirePasskey: bool(),
  },
  session: {
    idleMinutes: named('session_idle_minutes', intOrNull()),
    maxMinutes: named('session_max_minutes', intOrNull()),
    endWithToken: named('session_end_with_token', bool()),
  },
  certificate: {
    maxDays: named('certificate_max_days', intOrNull()),
    renewalNeedsToken: named('certificate_renewal_needs_token', bool()),
    renewalGraceHours: named('certificate_renewal_grace_hours', int()),
  },
  acceptRule: textOrNull(),
  tags: json<AuthPolicySettings['tags']>(),
} satisfies ColumnsFor<AuthPolicySettings>
