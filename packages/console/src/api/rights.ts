import type { Permission } from '@countersign/contract/permission'
import { hasAllPermissionsOf, isAllowed, type PermissionHolder } from '@countersign/contract/permission-rules'
import { CALL_ACCESS } from './call-access.ts'

/** A call of the management API. */
export type Call = keyof typeof CALL_ACCESS

/** What a page or a button needs: a call, one of several calls, or a session of an administrator, which the hosted API requires. */
export type Need = Call | readonly Call[] | 'administrator'

/** An identity as responses show it. */
export interface ShownHolder {
  readonly isAdmin: boolean
  readonly permissions?: readonly Permission[] | null | undefined
}

/** Whether a caller has what is needed, by the rules of the server. `over` is the identity that is changed: its rights must not exceed those of the caller. */
export function meets(caller: ShownHolder, need: Need, over?: ShownHolder): boolean {
  const holder = holderOf(caller)
  if (need === 'administrator') return holder.isAdmin
  if (over && !hasAllPermissionsOf(holder, holderOf(over))) return false
  return [need].flat().some((call) => isAllowed(holder, CALL_ACCESS[call as Call]))
}

function holderOf({ isAdmin, permissions }: ShownHolder): PermissionHolder {
  return { isAdmin, permissions: permissions ?? [] }
}
