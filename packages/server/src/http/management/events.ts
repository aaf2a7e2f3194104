import { fieldError } from '@countersign/core'
import { type EventNamespace, NAMESPACE_NAMES } from '../../events/controller-event.ts'
import { createEventStream } from '../../events/event-stream.ts'
import { MANAGEMENT } from '../api-paths.ts'
import type { ControllerContext } from '../controller-context.ts'
import type { Query } from '../pipeline/query.ts'
import type { Route } from '../pipeline/route.ts'

/** What happens on this node, as it happens. */
export function eventRoutes({ events, clock }: ControllerContext): Route[] {
  return [
    {
      method: 'GET',
      paths: [`${MANAGEMENT}/events`],
      access: { entity: 'admin', action: 'read' },
      bodyCap: 'management',
      body: null,
      produces: 'text/event-stream',
      handle: async ({ query, untrustedLastEventId }) => {
        const namespaces = namespacesOf(query)
        const onClose = await events.follow()
        return {
          status: 200,
          eventStream: createEventStream({ events, clock, namespaces, untrustedLastEventId, onClose }),
        }
      },
    },
  ]
}

function namespacesOf(query: Query): ReadonlySet<EventNamespace> | undefined {
  const given = query.get('namespace')
  if (given === undefined || given === '') return undefined
  const namespaces = given.split(',').map((name) => NAMESPACE_NAMES.get(name))
  if (namespaces.every((namespace) => namespace !== undefined)) return new Set(namespaces)
  throw fieldError('namespace', `namespace should be of [${[...NAMESPACE_NAMES.keys()].join(' ')}]`, given)
}
