import type { NetworkPatch, NetworkWrite } from '@countersign/contract'
import { AppError, foldName, type NetworkSettings, networkFromBody, patchedNetwork } from '@countersign/core'
import type { NetworkRow } from '../../store/hosted-schema.ts'
import { notFound } from '../../store/not-found.ts'
import { insertRow } from '../../store/prepared.ts'
import { findNetwork } from '../../store/reads/hosted-reads.ts'
import { duplicateError } from '../../store/unique-violation.ts'
import type { WriteContext, WriteOperation } from '../../store/write-operation.ts'

const ENTITY = 'networks'

export interface NewNetwork {
  readonly id: string
  readonly organizationId: string
  readonly settings: NetworkSettings
  readonly productVersion: string
  /** Its controller runs on this store. */
  readonly isLocal: boolean
  /** Whose it is; in the hosted API's own ids. */
  readonly ownerIdentityId: string
}

/** Its controller runs already, here or elsewhere, so that it is provisioned from the start. */
const createNetwork: WriteOperation<NewNetwork, void> = async (context, network) => {
  await insertNetwork(context, network)
}

export async function insertNetwork(context: WriteContext, network: NewNetwork): Promise<void> {
  const { db, now } = context
  const { id, organizationId, settings } = network
  const networkGroupId = await getGroupId(context, organizationId, settings.networkGroupId)
  await checkNameIsFree(context, networkGroupId, settings.name)
  await insertRow(db, 'networks', {
    id,
    organization_id: organizationId,
    network_group_id: networkGroupId,
    ...networkColumns(settings),
    status: 'PROVISIONED',
    product_version: network.productVersion,
    is_local: network.isLocal,
    owner_identity_id: network.ownerIdentityId,
    created_by: network.ownerIdentityId,
    created_at: now,
    updated_at: now,
    deleted_at: null,
    deleted_by: null,
  })
  context.changed({ entity: ENTITY, id, action: 'created' })
}

function networkColumns({ name, size, provider, region, controllerUrl }: NetworkSettings) {
  return { name, size, provider, region, controller_url: controllerUrl }
}

export interface OneNetwork {
  readonly id: string
  readonly organizationId: string
}

const replaceNetwork: WriteOperation<OneNetwork & { body: NetworkWrite }, void> = async (context, { body, ...one }) => {
  await updateNetwork(context, await getNetwork(context, one), networkFromBody(body))
}

const patchNetwork: WriteOperation<OneNetwork & { body: NetworkPatch }, void> = async (context, { body, ...one }) => {
  const current = await getNetwork(context, one)
  const { network_group_id: networkGroupId, controller_url: controllerUrl } = current
  await updateNetwork(context, current, patchedNetwork({ ...current, networkGroupId, controllerUrl }, body))
}

async function updateNetwork(context: WriteContext, current: NetworkRow, next: NetworkSettings): Promise<void> {
  const { db, now } = context
  const { id, organization_id: organizationId } = current
  const networkGroupId = await getGroupId(context, organizationId, next.networkGroupId)
  const isNamedAnew = next.name !== current.name || networkGroupId !== current.network_group_id
  if (isNamedAnew) await checkNameIsFree(context, networkGroupId, next.name, id)
  // The local one is where this controller is.
  const controllerUrl = current.is_local ? null : next.controllerUrl
  await db
    .updateTable('networks')
    .set({ ...networkColumns({ ...next, controllerUrl }), network_group_id: networkGroupId, updated_at: now })
    .where('id', '=', id)
    .execute()
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
  'network.replace': replaceNetwork,
  'network.patch': patchNetwork,
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

/** Existing clients compare names without letter case, and find none where two are alike. */
async function checkNameIsFree(
  { db }: WriteContext,
  networkGroupId: string,
  name: string,
  ownId?: string,
): Promise<void> {
  const networks = await db
    .selectFrom('networks')
    .select(['id', 'name'])
    .where('network_group_id', '=', networkGroupId)
    .where('deleted_at', 'is', null)
    .execute()
  const isTaken = networks.some((other) => other.id !== ownId && foldName(other.name) === foldName(name))
  if (isTaken) throw duplicateError('networks_name', { name })
}
