import type { Route } from '../../src/http/pipeline/route.ts'

/** Tells whether a route is of the hosted API, which has its own callers, errors and tables. */
export function isHostedRoute({ access }: Pick<Route, 'access'>): boolean {
  return typeof access === 'object' && 'hosted' in access
}

/** Tells whether a route is for the operator of the controller, whom no role alone makes. */
export function isOperatorRoute({ access }: Pick<Route, 'access'>): boolean {
  return typeof access === 'object' && 'hosted' in access && access.hosted === 'operator'
}
