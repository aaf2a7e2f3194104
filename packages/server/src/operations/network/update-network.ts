import type { NetworkPatch, NetworkWrite } from '@countersign/contract'
import { type NetworkSettings, patchedNetwork, replacedNetwork } from '@countersign/core'
import { networkSettings } from '../../store/hosted-rows.ts'
import type { NetworkRow } from '../../store/hosted-schema.ts'
import { operation } from '../../store/operation.ts'
import type { OwnedKey } from '../../store/owned-key.ts'
import { getExistingNetwork, getNetworkGroupId } from '../../store/reads/network-reads.ts'
import type { Transaction } from '../../store/transaction.ts'
import { updateNetwork } from '../../store/writes/network-writes.ts'
import { checkNameIsFree } from './create-network.ts'

export const replaceNetwork = operation({
  name: 'network.replace',
  access: { hosted: 'networks' },
  target: 'networks',
  async run(tx, { id, organizationId, body }: OwnedKey & { readonly body: NetworkWrite }): Promise<void> {
    const current = await getExistingNetwork(tx.db, organizationId, id)
    await changeNetwork(tx, current, replacedNetwork(networkSettings(current), body))
  },
})

export const patchNetwork = operation({
  name: 'network.patch',
  access: { hosted: 'networks' },
  target: 'networks',
  async run(tx, { id, organizationId, body }: OwnedKey & { readonly body: NetworkPatch }): Promise<void> {
    const current = await getExistingNetwork(tx.db, organizationId, id)
    await changeNetwork(tx, current, patchedNetwork(networkSettings(current), body))
  },
})

async function changeNetwork(tx: Transaction, current: NetworkRow, next: NetworkSettings): Promise<void> {
  const { id, organization_id: organizationId } = current
  const networkGroupId = await getNetworkGroupId(tx.db, organizationId, next.networkGroupId)
  const isRenamed = next.name !== current.name || networkGroupId !== current.network_group_id
  if (isRenamed) await checkNameIsFree(tx, networkGroupId, next.name, id)
  // The local network is served by this controller: it has no configurable address.
  const controllerUrl = current.is_local ? null : next.controllerUrl
  await updateNetwork(tx, id, { ...next, controllerUrl, networkGroupId })
}
