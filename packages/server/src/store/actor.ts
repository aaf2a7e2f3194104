import type { Permission } from '@countersign/contract'

/** On whose behalf an operation runs, as the operation's own transaction finds it. */
export interface Actor {
  readonly id: string
  readonly isAdmin: boolean
  readonly permissions: readonly Permission[]
}

/** The controller itself: it may do everything. */
export const SYSTEM_ACTOR: Actor = { id: 'system', isAdmin: true, permissions: [] }
