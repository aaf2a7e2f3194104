import type { AccountRole, Permission } from '@countersign/contract'

/** The identity or API account on whose behalf an operation runs, read in the operation's own transaction. */
export interface Actor {
  readonly id: string
  readonly isAdmin: boolean
  readonly permissions: readonly Permission[]
  /** Of an API account. */
  readonly role?: AccountRole
}

/** The role of an actor at the hosted API. */
export function hostedRoleOf({ role, isAdmin }: Actor): AccountRole {
  return role ?? (isAdmin ? 'admin' : 'read-only')
}

/** The actor of changes for which no identity can be named: an identity that enrolls by itself does not exist before. */
export const UNATTRIBUTED_ID = 'unattributed'

/** The controller itself, which holds every permission. */
export const SYSTEM_ACTOR: Actor = { id: 'system', isAdmin: true, permissions: [] }
