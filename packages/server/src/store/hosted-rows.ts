import type { AccountSettings, NetworkSettings, OrganizationQuotas, OrganizationSettings } from '@countersign/core'
import { type CellsOf, createReader, createWriter } from './columns/column-map.ts'
import { ACCOUNT_COLUMNS, NETWORK_COLUMNS, ORGANIZATION_COLUMNS, QUOTA_COLUMNS } from './columns/hosted-columns.ts'
import type { AccountJobRow, ApiAccountClientRow, ApiAccountRow, NetworkRow, OrganizationRow } from './hosted-schema.ts'
import type { AccountClient } from './writes/account-client-writes.ts'

/** Converts an organization between row and settings. */
export const organizationSettings = createReader<OrganizationRow, OrganizationSettings>(ORGANIZATION_COLUMNS)
export const organizationColumns = createWriter<OrganizationSettings, CellsOf<typeof ORGANIZATION_COLUMNS>>(
  ORGANIZATION_COLUMNS,
)

/** Converts the quotas of an organization between row and settings. */
export const organizationQuotas = createReader<OrganizationRow, OrganizationQuotas>(QUOTA_COLUMNS)
export const quotaColumns = createWriter<OrganizationQuotas, CellsOf<typeof QUOTA_COLUMNS>>(QUOTA_COLUMNS)

/** Converts an API account between row and settings. */
export const accountSettings = createReader<ApiAccountRow, AccountSettings>(ACCOUNT_COLUMNS)
export const accountColumns = createWriter<AccountSettings, CellsOf<typeof ACCOUNT_COLUMNS>>(ACCOUNT_COLUMNS)

const readNetwork = createReader<NetworkRow, Omit<NetworkSettings, 'networkGroupId'>>(NETWORK_COLUMNS)

export function networkSettings(row: NetworkRow): NetworkSettings {
  return { ...readNetwork(row), networkGroupId: row.network_group_id }
}

/** The columns of a network, without its group. */
export const networkColumns = createWriter<NetworkSettings, CellsOf<typeof NETWORK_COLUMNS>>(NETWORK_COLUMNS)

type ClientCells = Pick<ApiAccountClientRow, 'client_id' | 'administered_by' | 'handle' | 'registration_token'>

export function accountClient(row: ClientCells): AccountClient {
  const { client_id: clientId, administered_by: administeredBy, handle, registration_token: sealedToken } = row
  return { clientId, administeredBy, handle, sealedToken }
}

/** The client that a job is about; undefined while it is not known. */
export function jobClient({ client_id, ...row }: AccountJobRow): AccountClient | undefined {
  return client_id === null ? undefined : accountClient({ client_id, ...row })
}
