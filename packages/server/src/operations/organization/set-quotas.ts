import type { OrganizationQuotasPatch } from '@countersign/contract'
import { patchedQuotas } from '@countersign/core'
import { organizationQuotas } from '../../store/hosted-rows.ts'
import { operation } from '../../store/operation.ts'
import { getOrganization } from '../../store/reads/organization-reads.ts'
import { updateQuotas } from '../../store/writes/organization-writes.ts'

/** Sets quotas of an organization. What it has beyond a lower quota stays; it can add no more. */
export const setQuotas = operation({
  name: 'organization.setQuotas',
  access: { hosted: 'operator' },
  target: 'organizations',
  async run(tx, { id, body }: { readonly id: string; readonly body: OrganizationQuotasPatch }): Promise<void> {
    const current = organizationQuotas(await getOrganization(tx.db, id))
    await updateQuotas(tx, id, patchedQuotas(current, body))
  },
})
