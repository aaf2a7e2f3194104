import type { RequiredPermission } from '@countersign/core'

/**
 * Who may run an operation, decided inside its transaction: an identity that holds a permission, an administrator of an organization of the
 * hosted API, or any enabled identity on itself. `none` is for the controller's own upkeep, and for operations that check a credential themselves.
 */
export type OperationAccess = RequiredPermission | { readonly hosted: 'admin' } | 'self' | 'none'

/** Whether an operation, or a route, is of the hosted API. */
export function isHostedAccess<Access>(access: Access): access is Extract<Access, { readonly hosted: unknown }> {
  return typeof access === 'object' && access !== null && 'hosted' in access
}
