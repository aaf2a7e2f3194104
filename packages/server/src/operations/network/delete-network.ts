import { AppError, DEFAULT_QUOTAS, hostedIdentityId } from '@countersign/core'
import { operation } from '../../store/operation.ts'
import type { OwnedKey } from '../../store/owned-key.ts'
import { getExistingNetwork } from '../../store/reads/network-reads.ts'
import { dropDeletedNetworks, markNetworkDeleted } from '../../store/writes/network-writes.ts'

/** Deletes a network, which stays among the deleted ones. There are as many of these as there may be networks by default; the oldest give way. */
export const deleteNetwork = operation({
  name: 'network.delete',
  access: { hosted: 'networks' },
  target: 'networks',
  async run(tx, { id, organizationId }: OwnedKey): Promise<void> {
    const current = await getExistingNetwork(tx.db, organizationId, id)
    if (current.is_local) {
      throw new AppError('ENTITY_CAN_NOT_BE_DELETED', { message: "this controller's own network cannot be deleted" })
    }
    await markNetworkDeleted(tx, id, hostedIdentityId(tx.actor.id))
    await dropDeletedNetworks(tx, organizationId, { keep: DEFAULT_QUOTAS.networks })
  },
})
