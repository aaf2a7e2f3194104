import { CLIENT, MANAGEMENT } from '../api-paths.ts'
import type { ControllerContext } from '../controller-context.ts'
import type { Call } from '../pipeline/call.ts'
import { memoryListAnswer, namedThings } from '../pipeline/memory-list.ts'
import type { Route } from '../pipeline/route.ts'
import { controllerView } from './controller-view.ts'

type ControllerView = ReturnType<typeof controllerView>

const FILTER = namedThings(['fingerprint', 'string'], ['isOnline', 'bool'], ['lastJoinedAt', 'datetime'])

/** The controllers of the network, which are this one. Clients ask after signing in and remember the answer. */
export function controllerRoutes(context: ControllerContext): Route[] {
  const { startedAt } = context
  const list = (view: ControllerView, { query }: Call) => {
    const values: Readonly<Record<string, unknown>> = {
      ...view,
      createdAt: startedAt,
      updatedAt: startedAt,
      lastJoinedAt: startedAt,
      isSystem: false,
    }
    const read = () => (symbol: string) => values[symbol]
    return memoryListAnswer({ options: FILTER, rows: [view], read, show: () => view }, query)
  }
  return [
    {
      method: 'GET',
      paths: [`${CLIENT}/controllers`],
      access: 'any-session',
      bodyCap: 'anonymous',
      body: null,
      handle: (call) => list(controllerView(context), call),
    },
    {
      method: 'GET',
      paths: [`${MANAGEMENT}/controllers`],
      access: { entity: 'controller', action: 'read' },
      bodyCap: 'management',
      body: null,
      handle: (call) => list(controllerView(context, ['edge-client', 'edge-management']), call),
    },
  ]
}
