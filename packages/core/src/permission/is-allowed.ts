import type { Permission, PermissionAction, PermissionEntity } from '@countersign/contract'

/** What a call needs: one action on one kind of entity, or nothing short of an administrator. */
export type RequiredPermission =
  | {
      readonly entity: PermissionEntity
      readonly action: PermissionAction
      /** Who holds all of this other kind may call too: whoever manages identities also manages how they sign in. */
      readonly orAllOf?: PermissionEntity
    }
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
  const { entity, action, orAllOf } = required
  return holder.permissions.some((held) => held === entity || held === `${entity}.${action}` || held === orAllOf)
}
