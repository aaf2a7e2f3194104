/** What a committed write changed. Caches follow these; a node that missed some is told `everything`. */
export interface Change {
  readonly entity: ChangedEntity
  readonly id: string
  readonly action: 'created' | 'updated' | 'deleted'
}

export type ChangedEntity = 'externalJwtSigners' | 'authPolicies' | 'identities' | 'authenticators' | 'apiSessions'

export type ChangeListener = (changes: readonly Change[] | 'everything') => void
