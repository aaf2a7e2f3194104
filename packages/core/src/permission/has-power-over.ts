import type { Permission } from '@countersign/contract'
import type { PermissionHolder } from './is-allowed.ts'

/**
 * Whether one may change, disable or delete another, or touch what the other signs in with. Nobody may come into more
 * power than he has by taking over somebody else: an administrator is touched by administrators only, and a holder of
 * permissions only by who holds all of them as well.
 */
export function hasPowerOver(holder: PermissionHolder, other: PermissionHolder): boolean {
  if (holder.isAdmin) return true
  return !other.isAdmin && other.permissions.every((permission) => holds(holder, permission))
}

function holds({ permissions }: PermissionHolder, wanted: Permission): boolean {
  if (permissions.includes(wanted)) return true
  const [entity, action] = wanted.split('.')
  if (action === undefined) return false
  return permissions.includes(entity as Permission) || (action === 'read' && permissions.includes('admin_readonly'))
}
