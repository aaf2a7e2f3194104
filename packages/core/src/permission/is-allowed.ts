import type { Permission, PermissionAction, PermissionEntity } from '@countersign/contract'

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
