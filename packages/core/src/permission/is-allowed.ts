import type { Permission, PermissionAction, PermissionEntity } from '@countersign/contract'

/** What a call requires: an action on a kind of entity, or an administrator. */
export type RequiredPermission =
  | {
      readonly entity: PermissionEntity
      readonly action: PermissionAction
      /** The whole permission for this other kind also suffices: managing identities includes managing their credentials. */
      readonly orAllOf?: PermissionEntity
    }
  | { readonly entity: 'admin'; readonly action: 'read' | 'change' }

export interface PermissionHolder {
  readonly isAdmin: boolean
  readonly permissions: readonly Permission[]
}

/** Other names of an entity in permissions. */
const ALIASES: Partial<Record<PermissionEntity, string>> = { 'api-session': 'ops' }

/** Denies by default. An administrator may do everything, `admin_readonly` may read everything, others need the permission. */
export function isAllowed(holder: PermissionHolder, required: RequiredPermission): boolean {
  if (holder.isAdmin) return true
  if (required.action === 'read' && holder.permissions.includes('admin_readonly')) return true
  if (required.entity === 'admin') return false
  const { entity, action, orAllOf } = required
  const suffices = (name: string, held: Permission) => held === name || held === `${name}.${action}`
  const alias = ALIASES[entity]
  return holder.permissions.some((held) => {
    return held === orAllOf || suffices(entity, held) || (alias !== undefined && suffices(alias, held))
  })
}
