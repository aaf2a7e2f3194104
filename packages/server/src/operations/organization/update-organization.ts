import type { OrganizationPatch } from '@countersign/contract'
import { AppError, patchedOrganization } from '@countersign/core'
import { organizationSettings } from '../../store/hosted-rows.ts'
import { operation } from '../../store/operation.ts'
import { getOrganization } from '../../store/reads/organization-reads.ts'
import { updateOrganization as updateRow } from '../../store/writes/organization-writes.ts'
import { checkTargetOrganization } from './target-organization.ts'

export const updateOrganization = operation({
  name: 'organization.update',
  access: { hosted: 'admin' },
  target: 'organizations',
  async run(tx, { id, body }: { readonly id: string; readonly body: OrganizationPatch }): Promise<void> {
    await checkTargetOrganization(tx, id)
    const current = await getOrganization(tx.db, id)
    const next = patchedOrganization(organizationSettings(current), body)
    if (current.is_local && !next.active) {
      const message = 'the organization that owns this controller stays active'
      throw new AppError('ENTITY_CAN_NOT_BE_UPDATED', { message })
    }
    await updateRow(tx, id, next)
  },
})
