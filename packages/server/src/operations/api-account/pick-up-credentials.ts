import { AppError, accountIdentityId } from '@countersign/core'
import { operation } from '../../store/operation.ts'
import type { OwnedKey } from '../../store/owned-key.ts'
import { getAccountRow } from '../../store/reads/account-reads.ts'
import { takePickup } from '../../store/writes/account-pickup-writes.ts'

/**
 * Returns the sealed credentials of a planned rotation, once: to an administrator, or to the account itself, whose old credentials are still valid.
 * Throws NOT_FOUND when none wait.
 */
export const pickUpCredentials = operation({
  name: 'apiAccount.pickUp',
  access: { hosted: 'read' },
  target: 'apiAccounts',
  async run(tx, { id, organizationId }: OwnedKey): Promise<string> {
    if (!tx.actor.isAdmin && tx.actor.id !== accountIdentityId(id)) throw new AppError('FORBIDDEN')
    await getAccountRow(tx.db, organizationId, id)
    const sealed = await takePickup(tx, id)
    if (sealed === undefined)
      throw new AppError('NOT_FOUND', { message: 'no new credentials wait for being picked up' })
    tx.changed({ entity: 'apiAccounts', id, action: 'pickedUp' })
    return sealed
  },
})
