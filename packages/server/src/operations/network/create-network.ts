import { checkQuota, foldName, hostedIdentityId, type NetworkSettings } from '@countersign/core'
import { operation } from '../../store/operation.ts'
import type { OwnedKey } from '../../store/owned-key.ts'
import { countNetworks, findNetworkNamed, getNetworkGroupId } from '../../store/reads/network-reads.ts'
import { loadQuotas } from '../../store/reads/quota-reads.ts'
import type { Transaction } from '../../store/transaction.ts'
import { duplicateError } from '../../store/unique-violation.ts'
import { insertNetwork, type NetworkFacts } from '../../store/writes/network-writes.ts'

export interface CreateNetwork extends OwnedKey {
  readonly settings: NetworkSettings
  readonly productVersion: string
}

/** Creates a network of another controller; the actor owns it. */
export const createNetwork = operation({
  name: 'network.create',
  access: { hosted: 'networks' },
  async run(tx, { settings, ...network }: CreateNetwork): Promise<void> {
    await addNetwork(tx, { ...network, isLocal: false, ownerIdentityId: hostedIdentityId(tx.actor.id) }, settings)
  },
})

export async function addNetwork(tx: Transaction, facts: NetworkFacts, settings: NetworkSettings): Promise<void> {
  const networkGroupId = await getNetworkGroupId(tx.db, facts.organizationId, settings.networkGroupId)
  const quotas = await loadQuotas(tx.db, facts.organizationId)
  checkQuota('networks', await countNetworks(tx.db, networkGroupId, quotas.networks), quotas)
  await checkNameIsFree(tx, networkGroupId, settings.name)
  await insertNetwork(tx, facts, { ...settings, networkGroupId })
}

/** Ignores letter case, as existing clients do when they look a network up by name. */
export async function checkNameIsFree(
  { db }: Transaction,
  networkGroupId: string,
  name: string,
  ownId?: string,
): Promise<void> {
  const other = await findNetworkNamed(db, { networkGroupId, foldedName: foldName(name), ownId })
  if (other !== undefined) throw duplicateError('networks_name', { name })
}
