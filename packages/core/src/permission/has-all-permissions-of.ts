import type { Permission } from '@countersign/contract'
import type { PermissionHolder } from './is-allowed.ts'

/**
 * Whether the holder may change, disable or delete another identity, or change its credentials. Prevents privilege
 * escalation by taking over another identity: only an administrator may change an administrator, and other holders need every
 * permission that the other identity has.
 */
export function hasAllPermissionsOf(holder: PermissionHolder, other: PermissionHolder): boolean {
  if (holder.isAdmin) return true
  return !other.isAdmin && other.permissions.every((permission) => holds(holder, permission))
}

function holds({ permissions }: PermissionHolder, permission: Permission): boolean {
  if (permissions.includes(permission)) return true
  const [entity, action] = permission.split('.')
  if (action === undefined) return false
  return permissions.includes(entity as Permission) || (action === 'read' && permissions.includes('admin_readonly'))
}
