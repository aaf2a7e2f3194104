import { hasAllPermissionsOf } from './has-all-permissions-of.ts'
import { isAllowed, type PermissionHolder, type RequiredPermission } from './is-allowed.ts'

/** The permissions with which one-time tokens are created. */
const ENROLLING_PERMISSIONS: readonly RequiredPermission[] = [
  { entity: 'enrollment', action: 'create' },
  { entity: 'enrollment', action: 'update' },
  { entity: 'identity', action: 'create' },
  { entity: 'authenticator', action: 'update' },
]

/** Whether the holder may see another identity's one-time tokens. A token gives access as that identity, so reading it takes more than read permission. */
export function maySeeEnrollmentTokens(holder: PermissionHolder, other: PermissionHolder): boolean {
  return hasAllPermissionsOf(holder, other) && ENROLLING_PERMISSIONS.some((permission) => isAllowed(holder, permission))
}

/** Whether the holder may see that another identity has enrollments, without their tokens. */
export function maySeeEnrollments(holder: PermissionHolder, other: PermissionHolder): boolean {
  return readsEverything(holder) || hasAllPermissionsOf(holder, other)
}

export function readsEverything(holder: PermissionHolder): boolean {
  return isAllowed(holder, { entity: 'admin', action: 'read' })
}
