import { CLIENT, MANAGEMENT } from '../api-paths.ts'
import type { Call } from '../pipeline/call.ts'
import { entityFilterOptions, memoryListResponse } from '../pipeline/memory-list-response.ts'
import type { Route } from '../pipeline/route.ts'
import { describe } from '../pipeline/route-note.ts'
import { type ControllerViewParts, controllerView } from './controller-view.ts'

type ControllerView = ReturnType<typeof controllerView>

const FILTER = entityFilterOptions(['fingerprint', 'string'], ['isOnline', 'bool'], ['lastJoinedAt', 'datetime'])

const LIST = describe.list('Controller', 'List the controllers of the network: only this one')

/** The controllers of the network: only this one. Clients store the list after login. */
export function controllerRoutes(parts: ControllerViewParts): Route[] {
  const { startedAt } = parts
  const list = (view: ControllerView, call: Call) => {
    const values: Readonly<Record<string, unknown>> = {
      ...view,
      createdAt: startedAt,
      updatedAt: startedAt,
      lastJoinedAt: startedAt,
      isSystem: false,
    }
    const read = () => (symbol: string) => values[symbol]
    return memoryListResponse({ options: FILTER, rows: [view], read, show: () => view }, call)
  }
  return [
    {
      method: 'GET',
      paths: [`${CLIENT}/controllers`],
      access: 'any-session',
      bodyCap: 'anonymous',
      body: null,
      note: LIST,
      handle: (call) => list(controllerView(parts), call),
    },
    {
      method: 'GET',
      paths: [`${MANAGEMENT}/controllers`],
      access: { entity: 'admin', action: 'read' },
      bodyCap: 'management',
      body: null,
      note: LIST,
      handle: (call) => list(controllerView(parts, ['edge-client', 'edge-management']), call),
    },
  ]
}
