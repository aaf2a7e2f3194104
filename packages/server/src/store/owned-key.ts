/** The key of an entity that belongs to an organization: looked up only within that organization. */
export interface OwnedKey {
  readonly id: string
  readonly organizationId: string
}
