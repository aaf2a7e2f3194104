import type { AccountJob, EpochTime } from '@countersign/sdk'
import type { Account, AuditEvent, Network, OperatorOrganization, Provider } from '../../api/wire.ts'
import type { CsvExport } from '../../list/csv.ts'

const instant = (at: EpochTime | null) => at && new Date(at.epochSecond * 1000 + at.nano / 1_000_000).toISOString()

/** Without secrets: lists do not have them. */
export const ACCOUNTS_CSV: CsvExport<Account> = {
  fileName: 'api-accounts',
  columns: [
    ['id', ({ id }) => id],
    ['name', ({ name }) => name],
    ['kind', ({ kind }) => kind],
    ['role', ({ role }) => role],
    ['active', ({ active }) => active],
    ['contactEmail', ({ contactEmail }) => contactEmail],
    ['identityProviderId', ({ identityProviderId }) => identityProviderId],
    ['clientId', ({ clientId }) => clientId],
    ['lastUsedAt', ({ lastUsedAt }) => lastUsedAt],
    ['rotatedAt', ({ rotatedAt }) => instant(rotatedAt)],
    ['expiresAt', ({ expiresAt }) => expiresAt],
    ['createdAt', ({ createdAt }) => instant(createdAt)],
  ],
}

export const NETWORKS_CSV: CsvExport<Network> = {
  fileName: 'networks',
  columns: [
    ['id', ({ id }) => id],
    ['name', ({ name }) => name],
    ['status', ({ status }) => status],
    ['controllerUrl', ({ controllerUrl }) => controllerUrl],
    ['networkGroupId', ({ networkGroupId }) => networkGroupId],
    ['region', ({ region }) => region],
    ['provider', ({ provider }) => provider],
    ['size', ({ size }) => size],
    ['productVersion', ({ productVersion }) => productVersion],
    ['createdAt', ({ createdAt }) => createdAt],
  ],
}

export const PROVIDERS_CSV: CsvExport<Provider> = {
  fileName: 'identity-providers',
  columns: [
    ['id', ({ id }) => id],
    ['name', ({ name }) => name],
    ['kind', ({ kind }) => kind],
    ['issuer', ({ issuer }) => issuer],
    ['audience', ({ audience }) => audience],
    ['requiredScope', ({ requiredScope }) => requiredScope],
    ['administration', ({ administration }) => administration?.kind ?? 'manual'],
    ['enabled', ({ enabled }) => enabled],
    ['createdAt', ({ createdAt }) => instant(createdAt)],
  ],
}

export const ORGANIZATIONS_CSV: CsvExport<OperatorOrganization> = {
  fileName: 'organizations',
  columns: [
    ['id', ({ id }) => id],
    ['label', ({ label }) => label],
    ['name', ({ name }) => name],
    ['active', ({ active }) => active],
    ['networks', ({ usage }) => usage.networks],
    ['accounts', ({ usage }) => usage.accounts],
    ['providers', ({ usage }) => usage.providers],
    ['clients', ({ usage }) => usage.clients],
    ['lastUsedAt', ({ usage }) => instant(usage.lastUsedAt)],
    ['createdAt', ({ createdAt }) => instant(createdAt)],
  ],
}

export const ACCOUNT_JOBS_CSV: CsvExport<AccountJob> = {
  fileName: 'account-jobs',
  columns: [
    ['id', ({ id }) => id],
    ['accountName', ({ accountName }) => accountName],
    ['kind', ({ kind }) => kind],
    ['state', ({ state }) => state],
    ['clientName', ({ clientName }) => clientName],
    ['error', ({ error }) => error],
  ],
}

export const AUDIT_EVENTS_CSV: CsvExport<AuditEvent> = {
  fileName: 'audit-events',
  columns: [
    ['id', ({ id }) => id],
    ['at', ({ at }) => at],
    ['type', ({ type }) => type],
    ['actorType', ({ actor }) => actor?.type],
    ['actorId', ({ actor }) => actor?.id],
    ['actorName', ({ actor }) => actor?.name],
    ['targetType', ({ target }) => target?.type],
    ['targetId', ({ target }) => target?.id],
    ['targetName', ({ target }) => target?.name],
    ['changed', ({ changed }) => changed.join(' ')],
    ['reason', ({ reason }) => reason],
    ['address', ({ address }) => address],
  ],
}
