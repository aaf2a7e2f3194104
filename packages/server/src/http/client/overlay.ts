import type { FilterOptions } from '@countersign/core'
import { CLIENT } from '../api-paths.ts'
import { detail, timestamp } from '../pipeline/envelope.ts'
import { emptyListResponse } from '../pipeline/memory-list-response.ts'
import { type Route, sessionOf } from '../pipeline/route.ts'
import { describe, type RouteNote } from '../pipeline/route-note.ts'
import { EDGE_ROUTERS, SERVICES, SESSIONS } from '../shared/overlay-symbols.ts'

const LISTS: readonly (readonly [path: string, options: FilterOptions, summary: string])[] = [
  ['/services', SERVICES, 'List the caller’s services: always empty'],
  ['/current-identity/edge-routers', EDGE_ROUTERS, 'List the caller’s edge routers: always empty'],
  ['/sessions', SESSIONS, 'List the caller’s service sessions: always empty'],
]

const SERVICE_UPDATES = describe.one('ServiceUpdates', 'Get the time of the last change of services')

/** What tunnelers request right after login. This controller has no overlay network, so every list is empty. */
export function overlayRoutes(): Route[] {
  const row = (path: string, note: RouteNote, handle: Route['handle']): Route => ({
    method: 'GET',
    paths: [CLIENT + path],
    access: 'any-session',
    bodyCap: 'anonymous',
    body: null,
    note,
    handle,
  })
  return [
    ...LISTS.map(([path, options, summary]) =>
      row(path, describe.list('OverlayThing', summary), (call) => emptyListResponse(options, call)),
    ),
    // Nothing has changed since the session began: clients have no reason to fetch their services again.
    row('/current-api-session/service-updates', SERVICE_UPDATES, (call) => {
      return detail({ lastChangeAt: timestamp(sessionOf(call).createdAt) })
    }),
  ]
}
