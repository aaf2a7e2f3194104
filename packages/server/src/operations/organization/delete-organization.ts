import { AppError } from '@countersign/core'
import { operation } from '../../store/operation.ts'
import { findContent, getOrganization } from '../../store/reads/organization-reads.ts'
import { deleteOrganization as deleteRow } from '../../store/writes/organization-writes.ts'
import { checkTargetOrganization } from './target-organization.ts'

/** Deletes an organization without accounts, identity providers and networks. */
export const deleteOrganization = operation({
  name: 'organization.delete',
  access: { hosted: 'admin' },
  target: 'organizations',
  async run(tx, { id }: { readonly id: string }): Promise<void> {
    await checkTargetOrganization(tx, id)
    const organization = await getOrganization(tx.db, id)
    if (organization.is_local) {
      throw new AppError('ENTITY_CAN_NOT_BE_DELETED', { message: 'the organization owns this controller' })
    }
    const content = await findContent(tx.db, id)
    if (content) {
      const message = `the organization still has ${content.kind}, one with id ${content.id}`
      throw new AppError('CAN_NOT_DELETE_REFERENCED_ENTITY', { message })
    }
    await deleteRow(tx, id)
  },
})
