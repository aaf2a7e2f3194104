import type { HostedAccess } from '@countersign/contract'
import type { RequiredPermission } from '@countersign/core'

/**
 * The access that an operation requires, checked in its transaction: a permission, a role in an organization of the hosted API, or `self` for
 * any enabled identity acting on itself, `partial-self` also when its session lacks the second factor, `self-before-passkey` when it lacks only a passkey
 * and the identity has none yet. `none` is for the controller's own upkeep and for operations that check a credential themselves.
 */
export type OperationAccess =
  | RequiredPermission
  | { readonly hosted: HostedAccess }
  | 'self'
  | 'self-before-passkey'
  | 'partial-self'
  | 'none'

/** Whether an operation or a route belongs to the hosted API. */
export function isHostedAccess<Access>(access: Access): access is Extract<Access, { readonly hosted: unknown }> {
  return typeof access === 'object' && access !== null && 'hosted' in access
}
