import type { AuthPolicyPatch, AuthPolicyWrite } from '@countersign/contract'
import { fieldError } from '../app-error.ts'
import { readTags, type Tags } from '../tag/read-tags.ts'
import { checkPlainText } from '../text/plain-text.ts'

/** An authentication policy as an administrator has set it up. */
export interface AuthPolicySettings {
  readonly name: string
  readonly primary: {
    readonly cert: { readonly allowed: boolean; readonly allowExpiredCerts: boolean }
    /** No signers means all signers. */
    readonly extJwt: { readonly allowed: boolean; readonly allowedSigners: readonly string[] }
    readonly updb: {
      readonly allowed: boolean
      readonly minPasswordLength: number
      readonly requireSpecialChar: boolean
      readonly requireNumberChar: boolean
      readonly requireMixedCase: boolean
      readonly maxAttempts: number
      readonly lockoutDurationMinutes: number
    }
  }
  readonly secondary: { readonly requireTotp: boolean; readonly requireExtJwtSigner: string | null }
  readonly tags: Tags
}

const MIN_PASSWORD_LENGTH = 5

/** What every identity gets that nobody has given another policy. */
export const DEFAULT_AUTH_POLICY: AuthPolicySettings = {
  name: 'Default',
  primary: {
    cert: { allowed: true, allowExpiredCerts: false },
    extJwt: { allowed: true, allowedSigners: [] },
    updb: {
      allowed: true,
      minPasswordLength: MIN_PASSWORD_LENGTH,
      requireSpecialChar: false,
      requireNumberChar: false,
      requireMixedCase: false,
      maxAttempts: 0,
      lockoutDurationMinutes: 0,
    },
  },
  secondary: { requireTotp: false, requireExtJwtSigner: null },
  tags: {},
}

/** A policy from the body of a POST or PUT. */
export function authPolicyFromBody(body: AuthPolicyWrite): AuthPolicySettings {
  return patchedAuthPolicy({ ...DEFAULT_AUTH_POLICY, name: '' }, body)
}

/** A policy after a PATCH, leaf by leaf: what is not given stays, and numbers below their minimum are raised to it. */
export function patchedAuthPolicy(current: AuthPolicySettings, body: AuthPolicyPatch): AuthPolicySettings {
  const { primary, secondary } = body
  const extJwt = { ...current.primary.extJwt, ...primary?.extJwt }
  const updb = { ...current.primary.updb, ...primary?.updb }
  const requireExtJwtSigner = secondary?.requireExtJwtSigner ?? current.secondary.requireExtJwtSigner
  return {
    name: body.name ?? current.name,
    primary: {
      cert: { ...current.primary.cert, ...primary?.cert },
      extJwt: { ...extJwt, allowedSigners: [...new Set(extJwt.allowedSigners)].sort() },
      updb: {
        ...updb,
        minPasswordLength: Math.max(MIN_PASSWORD_LENGTH, updb.minPasswordLength),
        maxAttempts: Math.max(0, updb.maxAttempts),
        lockoutDurationMinutes: Math.max(0, updb.lockoutDurationMinutes),
      },
    },
    secondary: {
      requireTotp: secondary?.requireTotp ?? current.secondary.requireTotp,
      // A blank text takes the second factor away; null means "not given".
      requireExtJwtSigner: requireExtJwtSigner === '' ? null : requireExtJwtSigner,
    },
    tags: body.tags ? readTags('tags', body.tags as never) : current.tags,
  }
}

/** The rules that a policy's own fields must keep. */
export function validateAuthPolicy(policy: AuthPolicySettings): void {
  if (policy.name.trim() === '') throw fieldError('name', 'name is required', policy.name)
  checkPlainText('name', policy.name)
}
