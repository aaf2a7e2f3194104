import {
  AUTH_POLICY,
  type AuthPolicyPatch,
  type AuthPolicySettings,
  type AuthPolicyWrite,
} from '@countersign/contract/auth-policy'
import { MIN_PASSWORD_LENGTH } from '@countersign/contract/limits'
import { fieldError } from '../app-error.ts'
import type { JsonObject } from '../json/json-value.ts'
import { type BodyRules, newSettings, patchedSettings, replacedSettings } from '../resource/apply-body.ts'
import { checkRule } from '../rule/check-rule.ts'
import { readTags } from '../tag/read-tags.ts'
import { checkPlainText } from '../text/plain-text.ts'

export type { AuthPolicySettings } from '@countersign/contract/auth-policy'

/** The policy of identities without an explicit one. */
export const DEFAULT_AUTH_POLICY: AuthPolicySettings = {
  name: 'Default',
  primary: {
    cert: { allowed: true, allowExpiredCerts: false },
    extJwt: { allowed: true, allowedSigners: [], requireAcr: [], requireAmr: [], maxAuthAgeSeconds: null },
    updb: {
      allowed: true,
      minPasswordLength: MIN_PASSWORD_LENGTH,
      requireSpecialChar: false,
      requireNumberChar: false,
      requireMixedCase: false,
      maxAttempts: 0,
      lockoutDurationMinutes: 0,
    },
    passkey: { allowed: false },
  },
  secondary: { requireTotp: false, requireExtJwtSigner: null, requirePasskey: false },
  session: { idleMinutes: null, maxMinutes: null, endWithToken: false },
  certificate: { maxDays: null, renewalNeedsToken: false, renewalGraceHours: 24 },
  acceptRule: null,
  tags: {},
}

/** Raises smaller numbers to the minimum. */
const atLeast = (minimum: number) => (value: number) => Math.max(minimum, value)

/** The order of `acr` values is that of preference. */
const unique = (values: readonly string[]) => [...new Set(values)]

const RULES: BodyRules = {
  members: AUTH_POLICY.members,
  readers: {
    'primary.extJwt.allowedSigners': (ids: readonly string[]) => [...new Set(ids)].sort(),
    'primary.extJwt.requireAcr': unique,
    'primary.extJwt.requireAmr': unique,
    'primary.updb.minPasswordLength': atLeast(MIN_PASSWORD_LENGTH),
    'primary.updb.maxAttempts': atLeast(0),
    'primary.updb.lockoutDurationMinutes': atLeast(0),
    tags: (value: JsonObject) => readTags('tags', value),
  },
}

/** The policy that a POST creates. */
export function authPolicyFromBody(body: AuthPolicyWrite): AuthPolicySettings {
  return newSettings(RULES, body)
}

/** The policy after a PUT. */
export function replacedAuthPolicy(current: AuthPolicySettings, body: AuthPolicyWrite): AuthPolicySettings {
  return replacedSettings(RULES, current, body)
}

/** The policy after a PATCH. Members that the body omits keep their values, at any depth. */
export function patchedAuthPolicy(current: AuthPolicySettings, body: AuthPolicyPatch): AuthPolicySettings {
  return patchedSettings(RULES, current, body)
}

/** Throws when a field of the policy is invalid by itself. */
export function validateAuthPolicy(policy: AuthPolicySettings): void {
  if (policy.name.trim() === '') throw fieldError('name', 'name is required', policy.name)
  checkPlainText('name', policy.name)
  const { requireAcr, requireAmr } = policy.primary.extJwt
  for (const acr of requireAcr) checkAcr(acr)
  for (const amr of requireAmr) checkPlainText('primary.extJwt.requireAmr', amr)
  if (policy.acceptRule !== null) checkRule('acceptRule', policy.acceptRule, 'accept', 'policy')
}

/** The values are sent to clients in a quoted parameter, separated by spaces (RFC 9470 section 3). */
function checkAcr(value: string): void {
  if (/^[\x21\x23-\x5b\x5d-\x7e]+$/.test(value)) return
  const reason = 'requireAcr may contain printable ASCII characters without spaces, quotes and backslashes'
  throw fieldError('primary.extJwt.requireAcr', reason, value)
}
