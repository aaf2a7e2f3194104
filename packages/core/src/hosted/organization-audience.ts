const PREFIX = 'urn:countersign:organization:'

/**
 * The audience that tokens for the federated API accounts of an organization must have. It follows from the organization's id, which is a random UUID: it
 * never changes, and no organization of any controller has the same.
 */
export function organizationAudience(organizationId: string): string {
  return PREFIX + organizationId
}

/** Whether an audience is that of an organization, of this controller or of another. */
export function isOrganizationAudience(audience: string): boolean {
  return audience.startsWith(PREFIX)
}

/** The id of the organization that the audiences of a token name. Undefined when they name none, or more than one. */
export function findNamedOrganization(audiences: readonly string[]): string | undefined {
  let named: string | undefined
  for (const audience of audiences) {
    if (!audience.startsWith(PREFIX)) continue
    if (named !== undefined && named !== audience) return undefined
    named = audience
  }
  return named?.slice(PREFIX.length)
}
