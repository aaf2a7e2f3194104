import type { FilterOptions } from '@countersign/core'
import { notFound } from '../../store/not-found.ts'
import { findIdentity } from '../../store/reads/identity-reads.ts'
import type { Store } from '../../store/store.ts'
import { MANAGEMENT } from '../api-paths.ts'
import type { Call } from '../pipeline/call.ts'
import { detail, NO_INSTANT } from '../pipeline/envelope.ts'
import { emptyListResponse, memoryListResponse } from '../pipeline/memory-list-response.ts'
import type { Route, RouteResponse } from '../pipeline/route.ts'
import { describe, type RouteNote } from '../pipeline/route-note.ts'
import { EDGE_ROUTER_POLICIES, EDGE_ROUTERS, SERVICE_POLICIES, SERVICES } from '../shared/overlay-symbols.ts'
import { idOf } from './resource-routes.ts'

const NAMES_ONLY: FilterOptions = { symbols: new Map([['id', 'string']]), tags: false }

const NEVER_SENT = { postureCheckId: '', timedOut: false, lastUpdatedAt: NO_INSTANT }

/** The posture data of a device that has sent none. */
const NO_POSTURE_DATA = {
  apiSessionPostureData: {},
  domain: { ...NEVER_SENT, domain: '' },
  macAddress: { ...NEVER_SENT, addresses: [] },
  os: { ...NEVER_SENT, type: '', version: '', build: '' },
  processes: [],
}

const empty =
  (options: FilterOptions) =>
  (call: Call): Promise<RouteResponse> =>
    emptyListResponse(options, call)

interface EmptyRelation {
  readonly name: string
  readonly note: RouteNote
  readonly respond: Route['handle']
}

/** Existing clients request these for each identity. They are empty because this product routes no traffic. */
const EMPTY_RELATIONS: readonly EmptyRelation[] = [
  {
    name: 'services',
    note: describe.list('OverlayThing', 'List the services of an identity: always empty'),
    respond: empty(SERVICES),
  },
  {
    name: 'edge-routers',
    note: describe.list('OverlayThing', 'List the edge routers of an identity: always empty'),
    respond: empty(EDGE_ROUTERS),
  },
  {
    name: 'service-policies',
    note: describe.list('OverlayThing', 'List the service policies of an identity: always empty'),
    respond: empty(SERVICE_POLICIES),
  },
  {
    name: 'edge-router-policies',
    note: describe.list('OverlayThing', 'List the router policies of an identity: always empty'),
    respond: empty(EDGE_ROUTER_POLICIES),
  },
  {
    name: 'service-configs',
    note: describe.wholeList('OverlayThing', 'List the service configurations of an identity: always empty'),
    respond: () => detail([]),
  },
  {
    name: 'failed-service-requests',
    note: describe.wholeList('OverlayThing', 'List the failed service requests of an identity: always empty'),
    respond: () => detail([]),
  },
  {
    name: 'posture-data',
    note: describe.one('PostureData', 'Get the posture data of an identity: always empty'),
    respond: () => detail(NO_POSTURE_DATA),
  },
]

interface IdentityRelationRouteParts {
  readonly store: Pick<Store, 'db'>
}

/** The lists below one identity. Each is a 404 when the identity does not exist. */
export function identityRelationRoutes({ store }: IdentityRelationRouteParts): Route[] {
  const getIdentity = async (id: string) => {
    const identity = await findIdentity(store.db, id)
    if (!identity) throw notFound('identity', id)
    return identity
  }
  const row = (name: string, note: RouteNote, handle: Route['handle']): Route => ({
    method: 'GET',
    paths: [`${MANAGEMENT}/identities/:id/${name}`],
    access: { entity: 'identity', action: 'read' },
    bodyCap: 'management',
    body: null,
    note,
    handle,
  })
  return [
    row('role-attributes', describe.list('text', 'List the attributes of an identity'), async (call) => {
      const { attributes: rows } = await getIdentity(idOf(call))
      const read = (attribute: string) => () => attribute
      return memoryListResponse({ options: NAMES_ONLY, rows, read, show: (attribute) => attribute }, call)
    }),
    ...EMPTY_RELATIONS.map(({ name, note, respond }) =>
      row(name, note, async (call) => {
        await getIdentity(idOf(call))
        return respond(call)
      }),
    ),
  ]
}
