import type { NetworkPatch } from '@countersign/contract'
import { AppError, checkPlainText, fieldError } from '@countersign/core'
import type { NetworkRow } from '../../hosted-schema.ts'
import { notFound } from '../../not-found.ts'
import { insertRow } from '../../prepared.ts'
import { findNetwork } from '../../reads/hosted-reads.ts'
import { refusingDuplicates } from '../../unique-violation.ts'
import type { WriteContext, WriteOperation } from '../../write-operation.ts'

const ENTITY = 'networks'

export interface NewNetwork {
  readonly id: string
  readonly organizationId: string
  /** The organization's first group unless given. */
  readonly networkGroupId?: string | undefined
  readonly name: string
  readonly size: string
  readonly provider: string
  readonly region: string
  readonly productVersion: string
  /** Its controller runs on this store. */
  readonly isLocal: boolean
  readonly controllerUrl: string | null
  /** Whose it is; in the hosted API's own ids. */
  readonly ownerIdentityId: string
}

/** Its controller runs already, here or elsewhere, so that it is provisioned from the start. */
const createNetwork: WriteOperation<NewNetwork, void> = async (context, network) => {
  await insertNetwork(context, network)
}

export async function insertNetwork(context: WriteContext, network: NewNetwork): Promise<void> {
  const { db, now } = context
  const { id, organizationId, name, controllerUrl } = network
  checkName(name)
  const networkGroupId = await getGroupId(context, organizationId, network.networkGroupId)
  await refusingDuplicates({ name }, () =>
    insertRow(db, 'networks', {
      id,
      organization_id: organizationId,
      network_group_id: networkGroupId,
      name,
      status: 'PROVISIONED',
      size: network.size,
      product_version: network.productVersion,
      provider: network.provider,
      region: network.region,
      is_local: network.isLocal,
      controller_url: controllerUrl,
      owner_identity_id: network.ownerIdentityId,
      created_by: network.ownerIdentityId,
      created_at: now,
      updated_at: now,
      deleted_at: null,
      deleted_by: null,
    }),
  )
  context.changed({ entity: ENTITY, id, action: 'created' })
}

export interface OneNetwork {
  readonly id: string
  readonly organizationId: string
}

const updateNetwork: WriteOperation<OneNetwork & { body: NetworkPatch }, void> = async (
  context,
  { id, organizationId, body },
) => {
  const current = await getNetwork(context, { id, organizationId })
  const { db, now } = context
  const name = body.name ?? current.name
  checkName(name)
  const networkGroupId = await getGroupId(context, organizationId, body.networkGroupId || current.network_group_id)
  await refusingDuplicates({ name }, () =>
    db
      .updateTable('networks')
      .set({
        name,
        network_group_id: networkGroupId,
        size: body.size || current.size,
        provider: body.provider || current.provider,
        region: body.region || current.region,
        // That of the local one is where this controller is.
        ...(!current.is_local && body.controllerUrl !== undefined && { controller_url: body.controllerUrl || null }),
        updated_at: now,
      })
      .where('id', '=', id)
      .execute(),
  )
  context.changed({ entity: ENTITY, id, action: 'updated' })
}

/** It stays in the store, to be listed among the deleted ones. */
const deleteNetwork: WriteOperation<OneNetwork & { byIdentityId: string }, void> = async (
  context,
  { id, organizationId, byIdentityId },
) => {
  const { db, now } = context
  const current = await getNetwork(context, { id, organizationId })
  if (current.is_local) {
    throw new AppError('ENTITY_CAN_NOT_BE_DELETED', { message: 'the network is the one of this controller' })
  }
  await db
    .updateTable('networks')
    .set({ status: 'DELETED', deleted_at: now, deleted_by: byIdentityId, updated_at: now })
    .where('id', '=', id)
    .execute()
  context.changed({ entity: ENTITY, id, action: 'deleted' })
}

export const NETWORK_WRITES = {
  'network.create': createNetwork,
  'network.update': updateNetwork,
  'network.delete': deleteNetwork,
}

async function getNetwork({ db }: WriteContext, { id, organizationId }: OneNetwork): Promise<NetworkRow> {
  const row = await findNetwork(db, organizationId, id)
  if (!row || row.deleted_at !== null) throw notFound('network', id)
  return row
}

async function getGroupId({ db }: WriteContext, organizationId: string, wanted: string | undefined): Promise<string> {
  const groups = db.selectFrom('network_groups').select('id').where('organization_id', '=', organizationId)
  const group = await (wanted ? groups.where('id', '=', wanted) : groups.orderBy('created_at')).executeTakeFirst()
  if (!group) throw notFound('networkGroup', wanted ?? '')
  return group.id
}

function checkName(name: string): void {
  if (name === '') throw fieldError('name', 'name is required', name)
  checkPlainText('name', name)
}
