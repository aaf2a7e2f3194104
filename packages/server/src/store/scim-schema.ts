import type { Generated } from 'kysely'

/** A token with which an identity provider manages the users and groups of a signer. */
export interface ScimTokenTable {
  id: string
  signer_id: string
  token_digest: string
  created_by_id: string
  created_by_name: string
  created_at: number
  updated_at: number
}

/** One row for each identity and signer that it is linked to. */
export interface ScimUserTable {
  signer_id: string
  identity_id: string
  /** The order of lists: a new user comes last. */
  position: number
  /** Null until a SCIM request has described the user. */
  user_name: Generated<string | null>
  /** In lower case. */
  user_name_key: Generated<string | null>
  external_id: Generated<string | null>
  display_name: Generated<string | null>
  /** JSON: see `ScimUser`. */
  name: Generated<string>
  emails: Generated<string>
}

export interface ScimGroupTable {
  id: string
  signer_id: string
  position: number
  display_name: string
  /** In lower case. */
  display_name_key: string
  external_id: string | null
  /** The attribute of its members. Groups can share one. */
  attribute: string
  created_at: number
  updated_at: number
}

export interface ScimMemberTable {
  group_id: string
  identity_id: string
}

export interface ScimTables {
  scim_tokens: ScimTokenTable
  scim_users: ScimUserTable
  scim_groups: ScimGroupTable
  scim_members: ScimMemberTable
}
