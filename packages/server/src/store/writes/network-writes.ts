import { foldName, type NetworkSettings } from '@countersign/core'
import { networkColumns } from '../hosted-rows.ts'
import { insertRow } from '../prepared.ts'
import type { Transaction } from '../transaction.ts'

const ENTITY = 'networks'

export type NetworkWithGroup = NetworkSettings & { readonly networkGroupId: string }

export interface NetworkFacts {
  readonly id: string
  readonly organizationId: string
  readonly productVersion: string
  /** Whether the network's controller runs on this store. */
  readonly isLocal: boolean
  /** The owner's id in the hosted API. */
  readonly ownerIdentityId: string
}

/** A network is provisioned from the start: its controller runs already, here or elsewhere. */
export async function insertNetwork(tx: Transaction, facts: NetworkFacts, settings: NetworkWithGroup): Promise<void> {
  const { id, ownerIdentityId } = facts
  await insertRow(tx.db, 'networks', {
    id,
    organization_id: facts.organizationId,
    network_group_id: settings.networkGroupId,
    ...networkColumns(settings),
    folded_name: foldName(settings.name),
    status: 'PROVISIONED',
    product_version: facts.productVersion,
    is_local: facts.isLocal,
    owner_identity_id: ownerIdentityId,
    created_by: ownerIdentityId,
    created_at: tx.now,
    updated_at: tx.now,
    deleted_at: null,
    deleted_by: null,
  })
  tx.changed({ entity: ENTITY, id, action: 'created' })
}

export async function updateNetwork(tx: Transaction, id: string, settings: NetworkWithGroup): Promise<void> {
  await tx.db
    .updateTable('networks')
    .set({
      ...networkColumns(settings),
      folded_name: foldName(settings.name),
      network_group_id: settings.networkGroupId,
      updated_at: tx.now,
    })
    .where('id', '=', id)
    .execute()
  tx.changed({ entity: ENTITY, id, action: 'updated' })
}

/** Marks a network as deleted. The row stays, to be listed among the deleted ones. */
export async function markNetworkDeleted(tx: Transaction, id: string, deletedBy: string): Promise<void> {
  const { db, now } = tx
  await db
    .updateTable('networks')
    .set({ status: 'DELETED', deleted_at: now, deleted_by: deletedBy, updated_at: now })
    .where('id', '=', id)
    .execute()
  tx.changed({ entity: ENTITY, id, action: 'deleted' })
}

const DROPPED_AT_ONCE = 1_000

/** Removes the rows of deleted networks except the newest `keep`. They were reported when they were deleted. */
export async function dropDeletedNetworks(
  { db }: Transaction,
  organizationId: string,
  { keep }: { readonly keep: number },
): Promise<void> {
  const surplus = db
    .selectFrom('networks')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('deleted_at', 'is not', null)
    .orderBy('deleted_at', 'desc')
    .orderBy('id')
    .limit(DROPPED_AT_ONCE)
    .offset(keep)
  await db.deleteFrom('networks').where('id', 'in', surplus).execute()
}
