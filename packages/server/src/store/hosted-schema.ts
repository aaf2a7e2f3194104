import type { Selectable } from 'kysely'
import type { Bool } from './columns/column.ts'
import type { CellsOf } from './columns/column-map.ts'
import type {
  ACCOUNT_COLUMNS,
  NETWORK_COLUMNS,
  ORGANIZATION_COLUMNS,
  PROVIDER_COLUMNS,
} from './columns/hosted-columns.ts'

interface Timed {
  created_at: number
  updated_at: number
}

/** What the hosted API is about: whose networks there are, and which machines may ask for them. */
export interface OrganizationTable extends Timed, CellsOf<typeof ORGANIZATION_COLUMNS> {
  id: string
  /** The one that owns this controller. */
  is_local: Bool
}

export interface IdentityProviderTable extends Timed, CellsOf<typeof PROVIDER_COLUMNS> {
  id: string
  organization_id: string
  /** Sealed. */
  registration_token: string | null
  revision: number
}

/** The last good keys of a provider. */
export interface IdentityProviderKeySetTable {
  signer_id: string
  url: string
  jwks: string
  fetched_at: number
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
  status: string
  product_version: string
  /** Its controller runs on this store. */
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
}

/** A client at the provider that stands for an account; while credentials are being changed there are two. */
export interface ApiAccountClientTable {
  issuer: string
  client_id: string
  account_id: string
  /** Where the client is managed (RFC 7592); null for one that somebody else made. */
  registration_uri: string | null
  /** Sealed. */
  registration_token: string | null
  /** From when on it no longer stands for the account. */
  retires_at: number | null
  created_at: number
}

export interface HostedTables {
  organizations: OrganizationTable
  identity_providers: IdentityProviderTable
  identity_provider_key_sets: IdentityProviderKeySetTable
  network_groups: NetworkGroupTable
  networks: NetworkTable
  api_accounts: ApiAccountTable
  api_account_clients: ApiAccountClientTable
}

export type OrganizationRow = Selectable<OrganizationTable>
export type IdentityProviderRow = Selectable<IdentityProviderTable>
export type NetworkGroupRow = Selectable<NetworkGroupTable>
export type NetworkRow = Selectable<NetworkTable>
export type ApiAccountRow = Selectable<ApiAccountTable>
export type ApiAccountClientRow = Selectable<ApiAccountClientTable>
