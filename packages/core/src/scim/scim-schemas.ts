const SCHEMAS = 'urn:ietf:params:scim:schemas'
const MESSAGES = 'urn:ietf:params:scim:api:messages:2.0'

/** The names of the schemas and messages of RFC 7643 and 7644. */
export const SCIM_URN = {
  user: `${SCHEMAS}:core:2.0:User`,
  group: `${SCHEMAS}:core:2.0:Group`,
  schema: `${SCHEMAS}:core:2.0:Schema`,
  resourceType: `${SCHEMAS}:core:2.0:ResourceType`,
  providerConfig: `${SCHEMAS}:core:2.0:ServiceProviderConfig`,
  error: `${MESSAGES}:Error`,
  list: `${MESSAGES}:ListResponse`,
  patch: `${MESSAGES}:PatchOp`,
  search: `${MESSAGES}:SearchRequest`,
} as const

export const SCIM_MEDIA_TYPE = 'application/scim+json'

/** The limits of requests. A request beyond one is refused before any work is done for it. */
export const SCIM_LIMITS = {
  maxOperations: 500,
  maxMembers: 5_000,
  maxFilterLength: 2_048,
  maxFilterTerms: 32,
  maxFilterDepth: 8,
  maxEmails: 20,
  maxTextLength: 1_024,
  maxPage: 200,
  defaultPage: 100,
} as const
