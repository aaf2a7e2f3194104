import type { Clock } from '../../platform/clock.ts'
import { loadSummary } from '../../store/reads/summary-reads.ts'
import type { Store } from '../../store/store.ts'
import { MANAGEMENT } from '../api-paths.ts'
import type { Route } from '../pipeline/route.ts'
import { describe } from '../pipeline/route-note.ts'

/** Counts that existing clients read and that are fixed in this product. */
const CONSTANT = {
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

interface SummaryRouteParts {
  readonly store: Pick<Store, 'db'>
  readonly clock: Clock
}

/** The number of entities of each kind. */
export function summaryRoutes({ store, clock }: SummaryRouteParts): Route[] {
  return [
    {
      method: 'GET',
      paths: [`${MANAGEMENT}/summary`],
      access: { entity: 'admin', action: 'read' },
      bodyCap: 'management',
      body: null,
      note: describe.one('Summary', 'Get the number of entities of each kind'),
      handle: async () => {
        const counts = { ...CONSTANT, ...(await loadSummary(store, clock.now())) }
        return { status: 200, json: { data: counts, meta: null } }
      },
    },
  ]
}
