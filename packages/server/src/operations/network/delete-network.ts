import { AppError, hostedIdentityId } from '@countersign/core'
import { operation } from '../../store/operation.ts'
import type { OwnedKey } from '../../store/owned-key.ts'
import { getExistingNetwork } from '../../store/reads/network-reads.ts'
import { markNetworkDeleted } from '../../store/writes/network-writes.ts'

export const deleteNetwork = operation({
  name: 'network.delete',
  access: { hosted: 'admin' },
  target: 'networks',
  async run(tx, { id, organizationId }: OwnedKey): Promise<void> {
    const current = await getExistingNetwork(tx.db, organizationId, id)
    if (current.is_local) {
      throw new AppError('ENTITY_CAN_NOT_BE_DELETED', { message: "this controller's own network can not be deleted" })
    }
    await markNetworkDeleted(tx, id, hostedIdentityId(tx.actor.id))
  },
})
