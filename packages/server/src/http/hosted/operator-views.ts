import { effectiveQuotas, organizationAudience } from '@countersign/core'
import { organizationQuotas } from '../../store/hosted-rows.ts'
import type { OrganizationRow } from '../../store/hosted-schema.ts'
import type { OrganizationUsage } from '../../store/reads/organization-usage-reads.ts'
import { epochTime } from './hal.ts'

/** The members of `quotasView` that bodies may repeat. */
export const QUOTAS_READ_ONLY = ['effective']

/** An organization as the operator sees it: without its content. */
export function operatorView(row: OrganizationRow, usage: OrganizationUsage) {
  return {
    id: row.id,
    label: row.label,
    name: row.name,
    active: Boolean(row.active),
    audience: organizationAudience(row.id),
    /** Whether it owns this controller. */
    isOperator: Boolean(row.is_local),
    suspension: row.suspended_at === null ? null : { at: epochTime(row.suspended_at), reason: row.suspension_reason },
    usage: { ...usage, lastUsedAt: usage.lastUsedAt === null ? null : epochTime(usage.lastUsedAt) },
    quotas: effectiveQuotas(organizationQuotas(row)),
    createdAt: epochTime(row.created_at),
    updatedAt: epochTime(row.updated_at),
  }
}

/** The quotas that are set, null for the default, and those that apply. */
export function quotasView(row: OrganizationRow) {
  const quotas = organizationQuotas(row)
  return { ...quotas, effective: effectiveQuotas(quotas) }
}
