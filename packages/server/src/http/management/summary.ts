import { loadSummary } from '../../store/reads/summary-reads.ts'
import { MANAGEMENT } from '../api-paths.ts'
import type { ControllerContext } from '../controller-context.ts'
import type { Route } from '../pipeline/route.ts'

/** Kinds that existing clients read by name, and that are here in this number or not at all. */
const CONSTANT = {
  cas: 0,
  configTypes: 0,
  configs: 0,
  controllers: 1,
  edgeRouterPolicies: 0,
  eventualEvents: 0,
  identityTypes: 2,
  postureCheckTypes: 0,
  postureChecks: 0,
  revocations: 0,
  routers: 0,
  'routers.edge': 0,
  serviceEdgeRouterPolicies: 0,
  servicePolicies: 0,
  services: 0,
  'services.edge': 0,
  sessions: 0,
  terminators: 0,
}

/** How much of everything there is. */
export function summaryRoutes({ store, clock }: ControllerContext): Route[] {
  return [
    {
      method: 'GET',
      paths: [`${MANAGEMENT}/summary`],
      access: { entity: 'admin', action: 'read' },
      bodyCap: 'management',
      body: null,
      handle: async () => {
        const counts = { ...CONSTANT, ...(await loadSummary(store, clock.now())) }
        return { status: 200, json: { data: counts, meta: null } }
      },
    },
  ]
}
