import type { Permission, PermissionAction, PermissionEntity } from './permission.ts'

/** What a call requires: an action on a kind of entity, or an administrator. */
export type RequiredPermission =
  | {
      readonly entity: PermissionEntity
      readonly action: PermissionAction
      /** The permission for this action alone does not suffice: changing credentials takes the whole permission for identities. */
      readonly isWhole?: true
    }
  | { readonly entity: 'admin'; readonly action: 'read' | 'change' }

export interface PermissionHolder {
  readonly isAdmin: boolean
  readonly permissions: readonly Permission[]
}

/** Denies by default. An administrator may do everything, `admin_readonly` may read everything, others need the permission. */
export function isAllowed(holder: PermissionHolder, required: RequiredPermission): boolean {
  if (holder.isAdmin) return true
  if (required.action === 'read' && holder.permissions.includes('admin_readonly')) return true
  if (required.entity === 'admin') return false
  const { entity, action, isWhole } = required
  return holder.permissions.some((held) => held === entity || (!isWhole && held === `${entity}.${action}`))
}

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
