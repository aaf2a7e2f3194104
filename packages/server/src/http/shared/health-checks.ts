import type { Health, HealthCheck } from '../../events/health.ts'
import { timestamp } from '../pipeline/envelope.ts'
import type { Route, RouteResponse } from '../pipeline/route.ts'

interface HealthCheckRouteParts {
  readonly health: Pick<Health, 'readiness'>
}

const HEALTH_CHECKS = '/health-checks/v1'

/** Liveness and readiness of this node, for load balancers and supervisors, which have no session. */
export function healthCheckRoutes({ health }: HealthCheckRouteParts): Route[] {
  const open = {
    method: 'GET',
    access: 'anonymous',
    rate: 'none',
    bodyCap: 'anonymous',
    body: null,
    note: null,
  } as const
  return [
    {
      ...open,
      paths: [HEALTH_CHECKS, `${HEALTH_CHECKS}/readiness`],
      handle: async () => healthResponse(await health.readiness()),
    },
    { ...open, paths: [`${HEALTH_CHECKS}/liveness`], handle: () => healthResponse([]) },
  ]
}

function healthResponse(checks: readonly HealthCheck[]): RouteResponse {
  const healthy = checks.every((check) => check.healthy)
  const data = {
    healthy,
    checks: checks.map((check) => ({
      id: check.id,
      healthy: check.healthy,
      lastCheckDuration: `${Math.round(check.lastCheckMs)}ms`,
      lastCheckTime: timestamp(check.lastCheckTime),
    })),
  }
  return { status: healthy ? 200 : 503, headers: { 'cache-control': 'no-store' }, json: { data, meta: {} } }
}
