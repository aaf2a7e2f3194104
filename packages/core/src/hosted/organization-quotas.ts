import {
  ORGANIZATION_QUOTAS,
  type OrganizationQuotas,
  type OrganizationQuotasPatch,
  QUOTA_LIMITS,
  type QuotaName,
} from '@countersign/contract/operator'
import { fieldError } from '../app-error.ts'
import { patchedSettings } from '../resource/apply-body.ts'

export type { OrganizationQuotas } from '@countersign/contract/operator'

/** What an organization may have of each kind. All organizations share a database, and every list of these is read as a whole. */
export type Quotas = Readonly<Record<QuotaName, number>>

export const DEFAULT_QUOTAS = Object.fromEntries(
  Object.entries(QUOTA_LIMITS).map(([name, limits]) => [name, limits.default]),
) as Quotas

/** The quotas that apply: those that the operator has set, else the defaults. */
export function effectiveQuotas(set: OrganizationQuotas): Quotas {
  const { networks, accounts, providers, clientsPerAccount } = DEFAULT_QUOTAS
  return {
    networks: set.networks ?? networks,
    accounts: set.accounts ?? accounts,
    providers: set.providers ?? providers,
    clientsPerAccount: set.clientsPerAccount ?? clientsPerAccount,
  }
}

/** The quotas after a PUT or PATCH. Those that the body omits stay; null sets the default. */
export function patchedQuotas(current: OrganizationQuotas, patch: OrganizationQuotasPatch): OrganizationQuotas {
  return patchedSettings(ORGANIZATION_QUOTAS, current, patch)
}

/** The member of a body that a refusal names, and the reason. */
const REFUSALS: Readonly<Record<QuotaName, { readonly field: string; reason(most: number): string }>> = {
  networks: ofOrganization('networks'),
  accounts: ofOrganization('API accounts'),
  providers: ofOrganization('identity providers'),
  clientsPerAccount: {
    field: 'clientId',
    // Every rotation writes all clients of the account: the current one, and replaced ones that are not removed yet.
    reason: (most) =>
      `the account may have at most ${most} clients: retry when earlier ones have been removed, after their overlap`,
  },
}

function ofOrganization(kind: string) {
  return { field: 'organizationId', reason: (most: number) => `the organization may have at most ${most} ${kind}` }
}

/** Throws COULD_NOT_VALIDATE when an organization or account that has `count` of a kind may not have one more. */
export function checkQuota(name: QuotaName, count: number, quotas: Quotas): void {
  const most = quotas[name]
  if (count < most) return
  const { field, reason } = REFUSALS[name]
  throw fieldError(field, reason(most), '')
}
