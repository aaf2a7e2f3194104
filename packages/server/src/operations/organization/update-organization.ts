import type { OrganizationPatch } from '@countersign/contract'
import { AppError } from '@countersign/core'
import { operation } from '../../store/operation.ts'
import { getOrganization } from '../../store/reads/organization-reads.ts'
import { updateOrganization as updateRow } from '../../store/writes/organization-writes.ts'
import { checkOrganization } from './create-organization.ts'

export const updateOrganization = operation({
  name: 'organization.update',
  access: { hosted: 'admin' },
  target: 'organizations',
  async run(tx, { id, body }: { readonly id: string; readonly body: OrganizationPatch }): Promise<void> {
    const current = await getOrganization(tx.db, id)
    const next = {
      name: body.name ?? current.name,
      label: body.label ?? current.label,
      active: body.active ?? Boolean(current.active),
    }
    checkOrganization(next)
    if (current.is_local && !next.active) {
      const message = 'the organization that owns this controller stays active'
      throw new AppError('ENTITY_CAN_NOT_BE_UPDATED', { message })
    }
    await updateRow(tx, id, next)
  },
})
