import type { AccountJobKind, AccountJobState, AccountKind, AdministrationKind } from '@countersign/contract'
import type { Generated, Selectable } from 'kysely'
import type { Bool } from './columns/column.ts'
import type { CellsOf } from './columns/column-map.ts'
import type {
  ACCOUNT_COLUMNS,
  NETWORK_COLUMNS,
  ORGANIZATION_COLUMNS,
  PROVIDER_COLUMNS,
  QUOTA_COLUMNS,
} from './columns/hosted-columns.ts'

interface Timed {
  created_at: number
  updated_at: number
}

export interface OrganizationTable extends Timed, CellsOf<typeof ORGANIZATION_COLUMNS>, CellsOf<typeof QUOTA_COLUMNS> {
  id: string
  /** When the operator suspended it, which sets `active` to false. */
  suspended_at: number | null
  suspension_reason: string | null
  /** Whether it owns this controller. */
  is_local: Bool
}

export interface IdentityProviderTable extends Timed, CellsOf<typeof PROVIDER_COLUMNS> {
  id: string
  organization_id: string
  /** Sealed. */
  administration_secret: string | null
  revision: number
}

/** The last keys fetched from a provider. */
export interface IdentityProviderKeySetTable {
  signer_id: string
  url: string
  ca_digest: string
  jwks: string
  fetched_at: number
  good_thumbprints: Generated<string | null>
  pending_jwks: Generated<string | null>
  pending_at: Generated<number | null>
}

export interface NetworkGroupTable extends Timed {
  id: string
  organization_id: string
  name: string
  short_name: string
}

export interface NetworkTable extends Timed, CellsOf<typeof NETWORK_COLUMNS> {
  id: string
  organization_id: string
  network_group_id: string
  /** The name as `foldName` returns it. */
  folded_name: string
  status: string
  product_version: string
  /** Whether its controller runs on this store. */
  is_local: Bool
  owner_identity_id: string
  created_by: string
  deleted_at: number | null
  deleted_by: string | null
}

export interface ApiAccountTable extends Timed, CellsOf<typeof ACCOUNT_COLUMNS> {
  id: string
  organization_id: string
  identity_provider_id: string
  /** When the current credentials were created. */
  rotated_at: number
  /** When they are rotated; null without a plan. */
  rotates_at: number | null
  kind: Generated<AccountKind>
  /** Set when `expires_at` has passed: a clock that goes back does not give access again. */
  has_expired: Generated<Bool>
  /** Counts the changes after which earlier tokens must not be accepted. */
  revision: Generated<number>
}

/** The last use of an account, and the warning that it is unused. */
export interface ApiAccountUseTable {
  account_id: string
  used_at: number | null
  used_from: string | null
  warned_at: number | null
}

/** An access token of this controller for a federated account. */
export interface ApiAccountTokenTable {
  /** SHA-256 of the token. */
  digest: string
  account_id: string
  /** The token is valid while the account and its provider record have these revisions. */
  account_revision: number
  provider_revision: number
  created_at: number
  expires_at: number
}

/** An OAuth client at the provider that belongs to an account; an account has two while its credentials rotate. */
export interface ApiAccountClientTable {
  issuer: string
  client_id: string
  account_id: string
  /** The kind of administration that created it; null for a client that this controller did not create. */
  administered_by: AdministrationKind | null
  /** The client's URL by RFC 7592, or its id in the administration API of the provider. */
  handle: string | null
  /** The client's token by RFC 7592, sealed. */
  registration_token: string | null
  /** From this time on its tokens, and the sessions opened before, are refused. */
  retires_at: number | null
  created_at: number
}

/** Work at an identity provider for an API account, until it is done. */
export interface AccountJobTable extends Timed {
  id: string
  organization_id: string
  identity_provider_id: string
  /** The account may not exist yet, or no longer. */
  account_id: string
  account_name: string
  kind: AccountJobKind
  state: AccountJobState
  /** JSON: what repeating the job needs. */
  input: string
  /** The client at the provider, once it is known. */
  client_id: string | null
  administered_by: AdministrationKind | null
  handle: string | null
  /** Sealed. */
  registration_token: string | null
  /** The secret of the client that is to be removed. */
  secret_id: string | null
  error: string | null
  attempts: number
  /** While `running`: when it counts as interrupted. While `pending`: when it is tried next. Else when the job is forgotten. */
  due_at: number
}

/** New credentials of a planned rotation, until they are picked up. */
export interface AccountPickupTable {
  account_id: string
  sealed_credentials: string
  created_at: number
  expires_at: number
}

export interface HostedTables {
  organizations: OrganizationTable
  identity_providers: IdentityProviderTable
  identity_provider_key_sets: IdentityProviderKeySetTable
  network_groups: NetworkGroupTable
  networks: NetworkTable
  api_accounts: ApiAccountTable
  api_account_clients: ApiAccountClientTable
  account_jobs: AccountJobTable
  account_pickups: AccountPickupTable
  api_account_uses: ApiAccountUseTable
  api_account_tokens: ApiAccountTokenTable
}

export type OrganizationRow = Selectable<OrganizationTable>
export type IdentityProviderRow = Selectable<IdentityProviderTable>
export type NetworkGroupRow = Selectable<NetworkGroupTable>
export type NetworkRow = Selectable<NetworkTable>
export type ApiAccountRow = Selectable<ApiAccountTable>
export type ApiAccountClientRow = Selectable<ApiAccountClientTable>
export type AccountJobRow = Selectable<AccountJobTable>
