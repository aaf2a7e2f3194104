import type {
  AccountSettings,
  NetworkSettings,
  OrganizationQuotas,
  OrganizationSettings,
  ProviderSettings,
} from '@countersign/core'
import { bool, instantOrNull, intOrNull, jsonOrNull, named, text, textOrNull } from './column.ts'
import type { ColumnsFor } from './column-map.ts'

/** Where the settings of an organization are stored. */
export const ORGANIZATION_COLUMNS = {
  name: text(),
  label: text(),
  active: bool(),
} satisfies ColumnsFor<OrganizationSettings>

/** Where the quotas that the operator has set for an organization are stored. */
export const QUOTA_COLUMNS = {
  networks: named('quota_networks', intOrNull()),
  accounts: named('quota_accounts', intOrNull()),
  providers: named('quota_providers', intOrNull()),
  clientsPerAccount: named('quota_clients_per_account', intOrNull()),
} satisfies ColumnsFor<OrganizationQuotas>

/** Where the settings of an identity provider are stored; responses have the members in this order. */
export const PROVIDER_COLUMNS = {
  name: text(),
  kind: text<ProviderSettings['kind']>(),
  issuer: text(),
  discoveryUrl: textOrNull(),
  jwksUri: text(),
  tokenUrl: textOrNull(),
  audience: textOrNull(),
  clientIdClaim: textOrNull(),
  requiredScope: textOrNull(),
  administration: jsonOrNull<NonNullable<ProviderSettings['administration']>>(),
  enabled: bool(),
} satisfies ColumnsFor<ProviderSettings>

/** Where the settings of an API account are stored. */
export const ACCOUNT_COLUMNS = {
  name: text(),
  contactEmail: textOrNull(),
  description: textOrNull(),
  role: text<AccountSettings['role']>(),
  active: bool(),
  rotation: jsonOrNull<NonNullable<AccountSettings['rotation']>>(),
  conditions: jsonOrNull<NonNullable<AccountSettings['conditions']>>(),
  expiresAt: instantOrNull(),
} satisfies ColumnsFor<AccountSettings>

/** Where the settings of a network are stored, except its group: the statements add it, because it defaults to the organization's first. */
export const NETWORK_COLUMNS = {
  name: text(),
  size: text(),
  provider: text(),
  region: text(),
  controllerUrl: textOrNull(),
} satisfies ColumnsFor<Omit<NetworkSettings, 'networkGroupId'>>
