import type { OperationMeta } from './operation-meta.ts'

/** What a committed write changed. Caches follow these; a node that missed some is told `everything`. */
export interface Change {
  readonly entity: ChangedEntity
  readonly id: string
  readonly action: 'created' | 'updated' | 'deleted'
}

/** A change with what only the node that made it is told. */
export interface OwnChange extends Change {
  /** Whose session it was, where one has ended. */
  readonly session?: { readonly identityId: string; readonly ipAddress: string }
  /** JSON of a thing that is kept on record, before and after; null where there was none or it is not known. */
  readonly states?: { readonly initial: string | null; readonly final: string | null }
}

export type ChangedEntity =
  | 'externalJwtSigners'
  | 'authPolicies'
  | 'identities'
  | 'authenticators'
  | 'apiSessions'
  | 'organizations'
  | 'identityProviders'
  | 'networks'
  | 'apiAccounts'
  | 'enrollments'

export type ChangeListener = (changes: readonly Change[] | 'everything') => void

/** Hears of the writes of this node only, with who asked for them. */
export type OwnChangeListener = (changes: readonly OwnChange[], meta: OperationMeta) => void
