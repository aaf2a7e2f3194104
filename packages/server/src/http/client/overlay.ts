import type { FilterOptions } from '@countersign/core'
import { CLIENT } from '../api-paths.ts'
import { detail, timestamp } from '../pipeline/envelope.ts'
import { emptyListAnswer } from '../pipeline/memory-list.ts'
import { type Route, sessionOf } from '../pipeline/route.ts'
import { EDGE_ROUTERS, SERVICES, SESSIONS } from '../shared/overlay-symbols.ts'

const LISTS: readonly (readonly [path: string, options: FilterOptions])[] = [
  ['/services', SERVICES],
  ['/current-identity/edge-routers', EDGE_ROUTERS],
  ['/sessions', SESSIONS],
]

/** What tunnelers ask right after they have signed in: there is nothing for them here, and this says so in their words. */
export function overlayRoutes(): Route[] {
  const row = (path: string, handle: Route['handle']): Route => ({
    method: 'GET',
    paths: [CLIENT + path],
    access: 'any-session',
    bodyCap: 'anonymous',
    body: null,
    handle,
  })
  return [
    ...LISTS.map(([path, options]) => row(path, ({ query }) => emptyListAnswer(options, query))),
    // Nothing has changed since the session began, so that nobody fetches his services anew.
    row('/current-api-session/service-updates', (call) => {
      return detail({ lastChangeAt: timestamp(sessionOf(call).createdAt) })
    }),
  ]
}
