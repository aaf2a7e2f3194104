import type { Permission } from '@countersign/contract'

/** The identity or API account on whose behalf an operation runs, read in the operation's own transaction. */
export interface Actor {
  readonly id: string
  readonly isAdmin: boolean
  readonly permissions: readonly Permission[]
}

/** The actor of changes for which no identity can be named: an identity that enrolls by itself does not exist before. */
export const UNATTRIBUTED_ID = 'unattributed'

/** The controller itself, which holds every permission. */
export const SYSTEM_ACTOR: Actor = { id: 'system', isAdmin: true, permissions: [] }
