import type { HostedAccess } from '@countersign/contract'
import type { RequiredPermission } from '@countersign/core'

/**
 * For any enabled identity acting on itself: `self-before-code` also when its session lacks a one-time code, `self-before-passkey` when it lacks only a
 * passkey and the identity has none yet, `partial-self` whatever second factor it lacks.
 */
const SELF_ACCESS = ['self', 'self-before-code', 'self-before-passkey', 'partial-self'] as const
type SelfAccess = (typeof SELF_ACCESS)[number]

/**
 * The access that an operation requires, checked in its transaction: a permission, a role in an organization of the hosted API, or that the actor acts on
 * itself. `none` is for the controller's own upkeep and for operations that check a credential themselves.
 */
export type OperationAccess = RequiredPermission | { readonly hosted: HostedAccess } | SelfAccess | 'none'

/** Whether the actor of an operation with this access acts on itself. */
export function isSelf(access: OperationAccess): access is SelfAccess {
  return (SELF_ACCESS as readonly unknown[]).includes(access)
}

/** Whether an operation or a route belongs to the hosted API. */
export function isHostedAccess<Access>(access: Access): access is Extract<Access, { readonly hosted: unknown }> {
  return typeof access === 'object' && access !== null && 'hosted' in access
}
