import type { NetworkSettings } from '@countersign/contract'
import type { NetworkGroupRow } from '../../store/hosted-schema.ts'
import type { ListedNetwork } from '../../store/reads/network-reads.ts'
import type { Shown } from '../shared/member-view.ts'
import { isoTime } from './hal.ts'

/** The members of `networkView` that bodies may repeat. */
export const NETWORK_READ_ONLY = [
  ...['id', 'status', 'networkGroupId', 'organizationId', 'productVersion', 'isLocal', 'networkController'],
  ...['ownerIdentityId', 'createdBy', 'createdAt', 'updatedAt', 'deletedAt', 'deletedBy', '_links'],
]

/** A network in the form of the core service. */
export function networkView(row: ListedNetwork, href: string, localUrl: string) {
  return {
    id: row.id,
    name: row.name,
    status: row.status,
    networkGroupId: row.network_group_id,
    organizationId: row.organization_id,
    productVersion: row.product_version,
    size: row.size,
    provider: row.provider,
    region: row.region,
    /** Whether it is the network of this controller. */
    isLocal: Boolean(row.is_local),
    /** The stored value, so that a client can send the whole object back unchanged. */
    controllerUrl: row.controller_url,
    networkController: controllerView(row, localUrl),
    ownerIdentityId: row.owner_identity_id,
    createdBy: row.created_by,
    createdAt: isoTime(row.created_at),
    updatedAt: isoTime(row.updated_at),
    deletedAt: row.deleted_at === null ? null : isoTime(row.deleted_at),
    deletedBy: row.deleted_by,
    _links: { self: { href } },
  } satisfies Shown<NetworkSettings>
}

/** Null while the address of the controller is not set. */
function controllerView(row: ListedNetwork, localUrl: string) {
  const url = row.is_local ? localUrl : row.controller_url
  if (url === null) return null
  const { hostname, port } = new URL(url)
  return {
    id: row.id,
    networkId: row.id,
    name: row.name,
    status: row.status,
    domainName: hostname,
    port: Number(port || 443),
    provider: row.provider,
    createdAt: isoTime(row.created_at),
    updatedAt: isoTime(row.updated_at),
  }
}

export function groupView(row: NetworkGroupRow, href: string) {
  return {
    id: row.id,
    name: row.name,
    shortName: row.short_name,
    organizationId: row.organization_id,
    createdAt: isoTime(row.created_at),
    updatedAt: isoTime(row.updated_at),
    _links: { self: { href } },
  }
}
