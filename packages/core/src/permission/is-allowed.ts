import type { Permission, PermissionAction, PermissionEntity } from '@countersign/contract'

/** What a call needs: one action on one kind of entity, or nothing short of an administrator. */
export type RequiredPermission =
  | { readonly entity: PermissionEntity; readonly action: PermissionAction }
  | { readonly entity: 'admin'; readonly action: 'read' | 'change' }

export interface PermissionHolder {
  readonly isAdmin: boolean
  readonly permissions: readonly Permission[]
}

/** Deny by default: an administrator may do everything, `admin_readonly` reads everything, others what they hold. */
export function isAllowed(holder: PermissionHolder, required: RequiredPermission): boolean {
  if (holder.isAdmin) return true
  if (required.action === 'read' && holder.permissions.includes('admin_readonly')) return true
  if (required.entity === 'admin') return false
  const { entity, action } = required
  return holder.permissions.includes(entity) || holder.permissions.includes(`${entity}.${action}`)
}
