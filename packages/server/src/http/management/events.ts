import { fieldError } from '@countersign/core'
import { type EventNamespace, NAMESPACE_NAMES } from '../../events/controller-event.ts'
import type { EventHub } from '../../events/event-hub.ts'
import { createEventStream } from '../../events/event-stream.ts'
import type { LocalOrganization } from '../../hosted/local-organization.ts'
import type { Clock } from '../../platform/clock.ts'
import { MANAGEMENT } from '../api-paths.ts'
import { streamHolder } from '../pipeline/event-streams.ts'
import type { Query } from '../pipeline/query.ts'
import type { Route } from '../pipeline/route.ts'
import { describe } from '../pipeline/route-note.ts'

interface EventRouteParts {
  readonly events: EventHub
  readonly clock: Clock
  readonly localOrganization: Pick<LocalOrganization, 'id'>
}

/** The events of this node as a stream. */
export function eventRoutes({ events, clock, localOrganization }: EventRouteParts): Route[] {
  return [
    {
      method: 'GET',
      paths: [`${MANAGEMENT}/events`],
      access: { entity: 'admin', action: 'read' },
      bodyCap: 'management',
      body: null,
      produces: 'text/event-stream',
      note: describe.other('Server-sent events, one JSON object each', 'Stream events as they happen', {
        parameters: ['lastEventId'],
      }),
      handle: async (call) => {
        const { query, untrustedLastEventId } = call
        const namespaces = namespacesOf(query)
        const organizationId = await localOrganization.id()
        const onClose = await events.follow(streamHolder(call.session))
        return {
          status: 200,
          eventStream: createEventStream({ events, clock, namespaces, organizationId, untrustedLastEventId, onClose }),
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
  throw fieldError('namespace', `namespace should be a list of [${[...NAMESPACE_NAMES.keys()].join(' ')}]`, given)
}
