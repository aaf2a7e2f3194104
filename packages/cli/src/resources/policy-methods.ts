import { SUGGESTED_PASSWORD_LENGTH } from '@countersign/contract/limits'
import type { AuthPolicy, ControllerClient } from '@countersign/sdk'
import { mergeMembers } from './merge-members.ts'
import type { Item } from './resource-kind.ts'

const METHODS = ['cert', 'extJwt', 'updb', 'passkey'] as const
type Method = (typeof METHODS)[number]

/** What a new policy starts with, as in the console. */
const DEFAULT_POLICY = {
  primary: {
    cert: { allowed: true, allowExpiredCerts: false },
    extJwt: { allowed: true, allowedSigners: [] },
    updb: {
      allowed: true,
      minPasswordLength: SUGGESTED_PASSWORD_LENGTH,
      requireSpecialChar: false,
      requireNumberChar: false,
      requireMixedCase: false,
      maxAttempts: 0,
      lockoutDurationMinutes: 0,
    },
    passkey: { allowed: false },
  },
  secondary: { requireTotp: false },
} as const

type Primary = Partial<Record<Method, { readonly allowed?: boolean } | null>>

/** The methods that a policy allows. */
export function listAllowed(primary: unknown): Method[] {
  const given = (primary ?? {}) as Primary
  return METHODS.filter((method) => given[method]?.allowed === true)
}

/** What a new policy starts with, but no method is allowed: a file for `apply` names the methods that it allows. */
export const CLOSED_POLICY = mergeMembers(DEFAULT_POLICY, {
  primary: Object.fromEntries(Object.keys(DEFAULT_POLICY.primary).map((method) => [method, { allowed: false }])),
})

/** Adds what a new policy starts with. Where the members allow a method, only such methods are allowed. */
export function withDefaultMethods(members: Record<string, unknown>): Record<string, unknown> {
  return mergeMembers(listAllowed(members.primary).length > 0 ? CLOSED_POLICY : DEFAULT_POLICY, members)
}

/** Why a policy admits no one, if so. Without `client` the state of signers is not considered. */
export async function findPolicyWarnings(item: Item, client?: ControllerClient): Promise<string[]> {
  const { primary, secondary } = item as unknown as AuthPolicy
  const allowed = listAllowed(primary)
  if (allowed.length === 0) {
    return [
      'it allows no login method, so no one can log in with it: add --allow-cert, --allow-jwt, --allow-password or --allow-passkey',
    ]
  }
  const { allowedSigners } = primary.extJwt
  const required = secondary.requireExtJwtSigner
  const needsSigner = allowed.every((method) => method === 'extJwt')
  if (!client || (!needsSigner && !required)) return []
  const enabled = (await client.signers.all()).filter((signer) => signer.enabled).map(({ id }) => id)
  const isUsable = (ids: readonly string[]) => enabled.some((id) => ids.length === 0 || ids.includes(id))
  return [
    ...(needsSigner && !isUsable(allowedSigners)
      ? ['it allows only tokens, and none of its signers is enabled, so no one can log in with it']
      : []),
    ...(required && !isUsable([required])
      ? ['it requires a token of a signer that is disabled, so no one can use it']
      : []),
  ]
}
