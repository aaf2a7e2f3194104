import type { FilterOptions } from '@countersign/core'
import { notFound } from '../../store/not-found.ts'
import { findIdentity } from '../../store/reads/identity-reads.ts'
import { MANAGEMENT } from '../api-paths.ts'
import type { ControllerContext } from '../controller-context.ts'
import type { Call } from '../pipeline/call.ts'
import { detail, NO_INSTANT } from '../pipeline/envelope.ts'
import { emptyListAnswer, memoryListAnswer } from '../pipeline/memory-list.ts'
import type { Answer, Route } from '../pipeline/route.ts'
import { EDGE_ROUTER_POLICIES, EDGE_ROUTERS, SERVICE_POLICIES, SERVICES } from '../shared/overlay-symbols.ts'
import { idOf } from './resource-routes.ts'

const NAMES_ONLY: FilterOptions = { symbols: new Map([['id', 'string']]), tags: false }

const NEVER_SENT = { postureCheckId: '', timedOut: false, lastUpdatedAt: NO_INSTANT }

/** A device that has told nothing about itself. */
const NO_POSTURE_DATA = {
  apiSessionPostureData: {},
  domain: { ...NEVER_SENT, domain: '' },
  macAddress: { ...NEVER_SENT, addresses: [] },
  os: { ...NEVER_SENT, type: '', version: '', build: '' },
  processes: [],
}

const empty =
  (options: FilterOptions) =>
  ({ query }: Call): Answer =>
    emptyListAnswer(options, query)

/** What existing clients ask about an identity in a network with services. This product routes no traffic: there are none. */
const EMPTY_RELATIONS: Readonly<Record<string, (call: Call) => Answer>> = {
  services: empty(SERVICES),
  'edge-routers': empty(EDGE_ROUTERS),
  'service-policies': empty(SERVICE_POLICIES),
  'edge-router-policies': empty(EDGE_ROUTER_POLICIES),
  'service-configs': () => detail([]),
  'failed-service-requests': () => detail([]),
  'posture-data': () => detail(NO_POSTURE_DATA),
}

/** The lists below one identity. Each is 404 for an identity that is not there. */
export function identityRelationRoutes({ store }: ControllerContext): Route[] {
  const getIdentity = async (id: string) => {
    const identity = await findIdentity(store.db, id)
    if (!identity) throw notFound('identity', id)
    return identity
  }
  const row = (name: string, handle: Route['handle']): Route => ({
    method: 'GET',
    paths: [`${MANAGEMENT}/identities/:id/${name}`],
    access: { entity: 'identity', action: 'read' },
    bodyCap: 'management',
    body: null,
    handle,
  })
  return [
    row('role-attributes', async (call) => {
      const { attributes: rows } = await getIdentity(idOf(call))
      const read = (attribute: string) => () => attribute
      return memoryListAnswer({ options: NAMES_ONLY, rows, read, show: (attribute) => attribute }, call.query)
    }),
    ...Object.entries(EMPTY_RELATIONS).map(([name, answer]) =>
      row(name, async (call) => {
        await getIdentity(idOf(call))
        return answer(call)
      }),
    ),
  ]
}
