import type { Route } from '../../src/http/pipeline/route.ts'

/** Tells whether a route is of the hosted API, which has its own callers, errors and tables. */
export function isHostedRoute({ access }: Pick<Route, 'access'>): boolean {
  return typeof access === 'object' && 'hosted' in access
}
