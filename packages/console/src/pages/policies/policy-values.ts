import {
  MAX_PASSWORD_LENGTH,
  MAX_RULE_LENGTH,
  MIN_PASSWORD_LENGTH,
  SUGGESTED_PASSWORD_LENGTH,
} from '@countersign/contract/limits'
import type { AuthPolicy } from '@countersign/sdk'
import { atMost, wholeNumber } from '../../form/rules.ts'
import { checkTags, type TagRow, toTagRows, toTags } from '../../form/tags.ts'

export type PolicyValues = {
  name: string
  tags: TagRow[]
  certAllowed: boolean
  allowExpiredCerts: boolean
  extJwtAllowed: boolean
  allowedSigners: string[]
  updbAllowed: boolean
  minPasswordLength: number
  requireSpecialChar: boolean
  requireNumberChar: boolean
  requireMixedCase: boolean
  maxAttempts: number
  lockoutDurationMinutes: number
  requireTotp: boolean
  requireExtJwtSigner: string
  passkeyAllowed: boolean
  requirePasskey: boolean
  requireAcr: string[]
  requireAmr: string[]
  maxAuthAgeSeconds: number | ''
  idleMinutes: number | ''
  maxMinutes: number | ''
  endWithToken: boolean
  certificateMaxDays: number | ''
  renewalNeedsToken: boolean
  renewalGraceHours: number
  acceptRule: string
}

/** The server's field names where the form uses other ones. */
export const SERVER_FIELDS: Readonly<Record<string, string>> = {
  'primary.extJwt.allowedSigners': 'allowedSigners',
  'primary.extJwt.requireAcr': 'requireAcr',
  'primary.extJwt.requireAmr': 'requireAmr',
  'primary.extJwt.maxAuthAgeSeconds': 'maxAuthAgeSeconds',
  'session.idleMinutes': 'idleMinutes',
  'session.maxMinutes': 'maxMinutes',
  'certificate.maxDays': 'certificateMaxDays',
  'certificate.renewalGraceHours': 'renewalGraceHours',
  'primary.updb.minPasswordLength': 'minPasswordLength',
  'primary.updb.maxAttempts': 'maxAttempts',
  'primary.updb.lockoutDurationMinutes': 'lockoutDurationMinutes',
  'secondary.requireExtJwtSigner': 'requireExtJwtSigner',
}

const MAX_COUNT = 1_000_000

export const POLICY_RULES = {
  minPasswordLength: wholeNumber(MIN_PASSWORD_LENGTH, MAX_PASSWORD_LENGTH),
  maxAttempts: wholeNumber(0, MAX_COUNT),
  lockoutDurationMinutes: wholeNumber(0, MAX_COUNT),
  acceptRule: atMost(MAX_RULE_LENGTH),
  tags: checkTags,
}

/** The values of a policy, or what a new one starts with. */
export function fromPolicy(policy?: AuthPolicy): PolicyValues {
  const { cert, extJwt, updb, passkey } = policy?.primary ?? {}
  return {
    name: policy?.name ?? '',
    tags: toTagRows(policy?.tags),
    certAllowed: cert?.allowed ?? true,
    allowExpiredCerts: cert?.allowExpiredCerts ?? false,
    extJwtAllowed: extJwt?.allowed ?? true,
    allowedSigners: [...(extJwt?.allowedSigners ?? [])],
    updbAllowed: updb?.allowed ?? true,
    minPasswordLength: updb?.minPasswordLength ?? SUGGESTED_PASSWORD_LENGTH,
    requireSpecialChar: updb?.requireSpecialChar ?? false,
    requireNumberChar: updb?.requireNumberChar ?? false,
    requireMixedCase: updb?.requireMixedCase ?? false,
    maxAttempts: updb?.maxAttempts ?? 0,
    lockoutDurationMinutes: updb?.lockoutDurationMinutes ?? 0,
    requireTotp: policy?.secondary.requireTotp ?? false,
    requireExtJwtSigner: policy?.secondary.requireExtJwtSigner ?? '',
    passkeyAllowed: passkey?.allowed ?? false,
    requirePasskey: policy?.secondary.requirePasskey ?? false,
    requireAcr: [...(extJwt?.requireAcr ?? [])],
    requireAmr: [...(extJwt?.requireAmr ?? [])],
    maxAuthAgeSeconds: extJwt?.maxAuthAgeSeconds ?? '',
    idleMinutes: policy?.session.idleMinutes ?? '',
    maxMinutes: policy?.session.maxMinutes ?? '',
    endWithToken: policy?.session.endWithToken ?? false,
    certificateMaxDays: policy?.certificate.maxDays ?? '',
    renewalNeedsToken: policy?.certificate.renewalNeedsToken ?? false,
    renewalGraceHours: policy?.certificate.renewalGraceHours ?? 24,
    acceptRule: policy?.acceptRule ?? '',
  }
}

export function toPolicy(
  values: PolicyValues,
): Pick<AuthPolicy, 'name' | 'tags' | 'primary' | 'secondary' | 'session' | 'certificate' | 'acceptRule'> {
  const { name, certAllowed, allowExpiredCerts, extJwtAllowed, allowedSigners, updbAllowed } = values
  const { requireTotp, requireExtJwtSigner, minPasswordLength, maxAttempts, lockoutDurationMinutes } = values
  const { requireSpecialChar, requireNumberChar, requireMixedCase, requireAcr, requireAmr } = values
  const { passkeyAllowed, requirePasskey } = values
  const { maxAuthAgeSeconds, idleMinutes, maxMinutes, endWithToken } = values
  const { certificateMaxDays, renewalNeedsToken, renewalGraceHours } = values
  return {
    name,
    tags: toTags(values.tags),
    primary: {
      cert: { allowed: certAllowed, allowExpiredCerts },
      extJwt: {
        allowed: extJwtAllowed,
        allowedSigners,
        requireAcr,
        requireAmr,
        maxAuthAgeSeconds: toNumber(maxAuthAgeSeconds),
      },
      updb: {
        allowed: updbAllowed,
        minPasswordLength,
        requireSpecialChar,
        requireNumberChar,
        requireMixedCase,
        maxAttempts,
        lockoutDurationMinutes,
      },
      passkey: { allowed: passkeyAllowed },
    },
    secondary: { requireTotp, requirePasskey, ...(requireExtJwtSigner && { requireExtJwtSigner }) },
    session: { idleMinutes: toNumber(idleMinutes), maxMinutes: toNumber(maxMinutes), endWithToken },
    certificate: { maxDays: toNumber(certificateMaxDays), renewalNeedsToken, renewalGraceHours },
    acceptRule: values.acceptRule === '' ? null : values.acceptRule,
  }
}

const toNumber = (value: number | ''): number | null => (value === '' ? null : value)
