import {
  hasAllPermissionsOf,
  isAllowed,
  type PermissionHolder,
  type RequiredPermission,
} from '@countersign/contract/permission-rules'

/** The permissions with which one-time tokens of existing identities are created. */
const ENROLLING_PERMISSIONS: readonly RequiredPermission[] = [
  { entity: 'enrollment', action: 'create' },
  { entity: 'enrollment', action: 'update' },
  { entity: 'identity', action: 'update', isWhole: true },
]

/** With it, tokens are created for new identities only, so it shows no other tokens. */
const CREATING_PERMISSION: RequiredPermission = { entity: 'identity', action: 'create' }

/**
 * Whether the holder may see a one-time token of another identity. A token gives access as that identity, so reading it takes more than read
 * permission.
 */
export function maySeeEnrollmentToken(
  holder: PermissionHolder & { readonly id: string },
  other: PermissionHolder,
  { createdBy }: { readonly createdBy: string | null },
): boolean {
  if (!hasAllPermissionsOf(holder, other)) return false
  if (ENROLLING_PERMISSIONS.some((permission) => isAllowed(holder, permission))) return true
  return createdBy === holder.id && isAllowed(holder, CREATING_PERMISSION)
}

/** Whether the holder may see that another identity has enrollments, without their tokens. */
export function maySeeEnrollments(holder: PermissionHolder, other: PermissionHolder): boolean {
  return readsEverything(holder) || hasAllPermissionsOf(holder, other)
}

export function readsEverything(holder: PermissionHolder): boolean {
  return isAllowed(holder, { entity: 'admin', action: 'read' })
}
