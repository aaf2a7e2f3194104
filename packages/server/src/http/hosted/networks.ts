import { randomUUID } from 'node:crypto'
import {
  type NetworkExchange as ExchangeBody,
  NetworkExchange,
  NetworkPatch,
  NetworkWrite,
  type NetworkPatch as PatchBody,
  type NetworkWrite as WriteBody,
} from '@countersign/contract'
import { fieldError, isSafeLink, networkFromBody } from '@countersign/core'
import { type ExchangeOnNetworkParts, exchangeOnNetwork } from '../../hosted/exchange-on-network.ts'
import { createNetwork } from '../../operations/network/create-network.ts'
import { deleteNetwork } from '../../operations/network/delete-network.ts'
import { patchNetwork, replaceNetwork } from '../../operations/network/update-network.ts'
import type { Clock } from '../../platform/clock.ts'
import { PRODUCT_VERSION } from '../../platform/version.ts'
import type { NetworkGroupRow } from '../../store/hosted-schema.ts'
import { notFound } from '../../store/not-found.ts'
import type { OwnedKey } from '../../store/owned-key.ts'
import { getNetwork, type ListedNetwork, listNetworkGroups, listNetworks } from '../../store/reads/network-reads.ts'
import type { Store } from '../../store/store.ts'
import { withVersion } from '../pipeline/envelope.ts'
import { hostedCallerOf, type Route } from '../pipeline/route.ts'
import { halDetail, halPage, isoTime, pageOf, readHalPaging } from './hal.ts'
import { hostedMeta } from './hosted-meta.ts'
import { readNameMatcher, readNamePattern } from './name-pattern.ts'
import { groupView, NETWORK_READ_ONLY, networkView } from './network-views.ts'
import { ownedKeyOf } from './owned-key-of.ts'
import { readsOfCaller } from './reads-of-caller.ts'

interface NetworkRouteParts extends ExchangeOnNetworkParts {
  readonly store: Pick<Store, 'db' | 'dialect' | 'readLong' | 'run'>
  readonly clock: Clock
  /** host:port pairs under which clients reach this controller, the first one preferred. */
  readonly addresses: () => readonly string[]
}

const VERSIONS = ['v2', 'v3'] as const
const READ = { hosted: 'read' } as const
const NETWORKS = { hosted: 'networks' } as const
const HAL_TYPE = 'application/hal+json'
const NAME_PARAMETERS = ['findByName', 'name']

/** The networks of the caller's organization and their groups, the same under both versions. */
export function networkRoutes(parts: NetworkRouteParts): Route[] {
  return VERSIONS.flatMap((version) => routesOfVersion(parts, version))
}

function routesOfVersion(parts: NetworkRouteParts, version: string): Route[] {
  const { store, clock, addresses } = parts
  const at = (path: string): string[] => [`/core/${version}/${path}`]
  const baseUrl = (): string => `https://${addresses()[0] ?? ''}`
  const hrefOf = (...rest: readonly string[]): string =>
    [`${baseUrl()}/core/${version}`, ...rest.map(encodeURIComponent)].join('/')

  const showNetwork = (row: ListedNetwork) => networkView(row, hrefOf('networks', row.id), baseUrl())
  const showGroup = (row: NetworkGroupRow) => groupView(row, hrefOf('network-groups', row.id))

  const show = async ({ id, organizationId }: OwnedKey, status?: number) => {
    const row = await getNetwork(store.db, organizationId, id)
    return withVersion(halDetail(showNetwork(row), status), row.updated_at)
  }

  const base = { bodyCap: 'management', body: null, note: null, produces: HAL_TYPE } as const
  return [
    {
      ...base,
      method: 'GET',
      paths: at('networks'),
      access: READ,
      handle: async (call) => {
        const { query } = call
        const paging = readHalPaging(query)
        const caller = hostedCallerOf(call)
        const { rows, total } = await listNetworks(readsOfCaller(store, caller), caller.organizationId, {
          ...paging,
          namePattern: readNamePattern(query, ...NAME_PARAMETERS),
          networkGroupId: query.get('findByNetworkGroupId') ?? query.get('networkGroupId'),
          status: query.get('status'),
        })
        const items = rows.map(showNetwork)
        const accept = call.untrustedHeaderLines('accept')
        return halPage({ key: 'networkList', href: hrefOf('networks'), total, items, accept }, paging)
      },
    },
    {
      ...base,
      method: 'GET',
      paths: at('networks/:id'),
      access: READ,
      handle: (call) => show(ownedKeyOf(call)),
    },
    {
      ...base,
      method: 'POST',
      paths: at('networks'),
      access: NETWORKS,
      body: { schema: NetworkWrite, optional: false, readOnly: NETWORK_READ_ONLY },
      handle: async (call) => {
        const { organizationId } = hostedCallerOf(call)
        const settings = networkFromBody(call.body as WriteBody)
        checkControllerUrl(settings.controllerUrl)
        const network = { id: randomUUID(), organizationId, settings, productVersion: PRODUCT_VERSION }
        await store.run(createNetwork, network, hostedMeta(call, clock.now()))
        return show(network, 201)
      },
    },
    {
      ...base,
      method: 'PUT',
      paths: at('networks/:id'),
      access: NETWORKS,
      body: { schema: NetworkWrite, optional: false, readOnly: NETWORK_READ_ONLY },
      handle: async (call) => {
        const body = call.body as WriteBody
        checkControllerUrl(body.controllerUrl)
        await store.run(replaceNetwork, { ...ownedKeyOf(call), body }, hostedMeta(call, clock.now()))
        return show(ownedKeyOf(call))
      },
    },
    {
      ...base,
      method: 'PATCH',
      paths: at('networks/:id'),
      access: NETWORKS,
      body: { schema: NetworkPatch, optional: false, readOnly: NETWORK_READ_ONLY },
      handle: async (call) => {
        const body = call.body as PatchBody
        checkControllerUrl(body.controllerUrl)
        await store.run(patchNetwork, { ...ownedKeyOf(call), body }, hostedMeta(call, clock.now()))
        return show(ownedKeyOf(call))
      },
    },
    {
      ...base,
      method: 'DELETE',
      paths: at('networks/:id'),
      access: NETWORKS,
      handle: async (call) => {
        await store.run(deleteNetwork, ownedKeyOf(call), hostedMeta(call, clock.now()))
        return { status: 204 }
      },
    },
    {
      ...base,
      method: 'POST',
      paths: at('networks/:id/exchange'),
      access: READ,
      body: { schema: NetworkExchange, optional: false },
      handle: async (call) => {
        const { type } = call.body as ExchangeBody
        if (type.toLowerCase() !== 'session') throw fieldError('type', 'type must be session', type)
        const { requestId, remoteAddr, clientAddress } = call
        const { token, session } = await exchangeOnNetwork(parts, hostedCallerOf(call), {
          networkId: call.params.id ?? '',
          request: { id: requestId, remoteAddr, clientAddress },
        })
        return halDetail({
          type: 'session',
          value: token,
          networkControllerUrl: `${baseUrl()}/edge/management/v1`,
          expiresAt: isoTime(session.expiresAt),
        })
      },
    },
    {
      ...base,
      method: 'GET',
      paths: at('network-groups'),
      access: READ,
      handle: async (call) => {
        const paging = readHalPaging(call.query)
        const isWanted = readNameMatcher(call.query, ...NAME_PARAMETERS)
        const rows = await listNetworkGroups(store.db, hostedCallerOf(call).organizationId)
        const found = rows.filter(({ name }) => isWanted(name))
        const items = pageOf(found, paging).map((row) => showGroup(row))
        const href = hrefOf('network-groups')
        return halPage({ key: 'networkGroupList', href, total: found.length, items }, paging)
      },
    },
    {
      ...base,
      method: 'GET',
      paths: at('network-groups/:id'),
      access: READ,
      handle: async (call) => {
        const { id = '' } = call.params
        const groups = await listNetworkGroups(store.db, hostedCallerOf(call).organizationId)
        const group = groups.find((row) => row.id === id)
        if (!group) throw notFound('networkGroup', id)
        return withVersion(halDetail(showGroup(group)), group.updated_at)
      },
    },
  ]
}

function checkControllerUrl(url: string | null | undefined): void {
  if (url && !isSafeLink(url)) throw fieldError('controllerUrl', 'controllerUrl must be an https address', url)
}
