/** Names what belongs to an organization: found in that organization alone. */
export interface OwnedKey {
  readonly id: string
  readonly organizationId: string
}
