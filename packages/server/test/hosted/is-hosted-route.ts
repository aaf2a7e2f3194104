import type { Route } from '../../src/http/pipeline/route.ts'

/** Whether a row is of the hosted API, which has callers, errors and tables of its own. */
export function isHostedRoute({ access }: Pick<Route, 'access'>): boolean {
  return typeof access === 'object' && 'hosted' in access
}
