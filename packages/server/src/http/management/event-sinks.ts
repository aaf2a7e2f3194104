import {
  type EventSinkCreate as CreateBody,
  EVENT_SINK,
  EventSinkCreate,
  EventSinkPatch,
  EventSinkReplay,
  EventSinkWrite,
  type EventSinkPatch as PatchBody,
  RESPONSES,
  type EventSinkReplay as ReplayBody,
  type EventSinkWrite as WriteBody,
} from '@countersign/contract'
import { checkWebhookSecret, fieldError } from '@countersign/core'
import { sinkSecretUse } from '../../events/sinks/recipient.ts'
import type { SinkDelivery } from '../../events/sinks/sink-delivery.ts'
import { createSink } from '../../operations/event-sink/create-sink.ts'
import { deleteSink } from '../../operations/event-sink/delete-sink.ts'
import { replaySink } from '../../operations/event-sink/replay-sink.ts'
import { patchSink, replaceSink } from '../../operations/event-sink/update-sink.ts'
import type { JwksEndpointPolicy } from '../../outbound/jwks-endpoint-policy.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Sealing } from '../../platform/keys/sealing.ts'
import type { EventSinkRow } from '../../store/event-schema.ts'
import { EVENT_SINK_FILTER } from '../../store/filter-tables.ts'
import { getSink, loadNewestPosition } from '../../store/reads/event-sink-reads.ts'
import { type StoredSink, sinkFromRow } from '../../store/sink-row.ts'
import type { Store } from '../../store/store.ts'
import { MANAGEMENT } from '../api-paths.ts'
import type { Call } from '../pipeline/call.ts'
import { detail, selfLink, timestamp, withVersion } from '../pipeline/envelope.ts'
import { listResponse } from '../pipeline/list-response.ts'
import { operationMeta } from '../pipeline/operation-meta.ts'
import type { Route } from '../pipeline/route.ts'
import { describe } from '../pipeline/route-note.ts'
import { createMemberView } from '../shared/member-view.ts'
import { idOf, resourceRoutes } from './resource-routes.ts'

const ONE = `${MANAGEMENT}/event-sinks/:id`
const READ_ONLY = Object.keys(RESPONSES.EventSink.properties)
/** Also for reading: where events go is for administrators alone. */
const access = { entity: 'admin', action: 'change' } as const

interface EventSinkRouteParts {
  readonly store: Store
  readonly clock: Clock
  readonly sealing: Sealing
  readonly jwksPolicy: Pick<JwksEndpointPolicy, 'findRefusal'>
  readonly sinkDelivery: Pick<SinkDelivery, 'test' | 'wake'>
}

/** The receivers of events outside the controller. */
export function eventSinkRoutes({ store, clock, sealing, jwksPolicy, sinkDelivery }: EventSinkRouteParts): Route[] {
  const meta = (call: Call) => operationMeta(call, clock.now())
  const checkUrl = ({ url }: PatchBody): void => {
    const refusal = url ? jwksPolicy.findRefusal(url) : undefined
    if (refusal) throw fieldError('url', refusal, url)
  }
  /** Sealed; null for none, which removes the stored one. */
  const seal = (id: string, secret: string | null): string | null => {
    if (secret === null || secret === '') return null
    checkWebhookSecret(secret)
    return sealing.seal(secret, sinkSecretUse(id))
  }
  const sealGiven = (id: string, { secret }: PatchBody) => (secret === undefined ? undefined : seal(id, secret))

  return [
    ...resourceRoutes<CreateBody, PatchBody, WriteBody>(clock, {
      names: ['event-sinks'],
      entity: 'event-sink',
      access,
      words: { schema: 'EventSink', noun: 'an event sink', plural: 'event sinks' },
      writeSchema: EventSinkCreate,
      replaceSchema: EventSinkWrite,
      patchSchema: EventSinkPatch,
      unknownMembers: { readOnly: READ_ONLY },
      list: async (call) => {
        const newest = await loadNewestPosition(store.db)
        const show = (rows: readonly EventSinkRow[]) => rows.map((row) => sinkView(sinkFromRow(row), newest))
        return listResponse({ store, table: EVENT_SINK_FILTER, show }, call)
      },
      get: async (_call, id) => {
        const sink = await getSink(store.db, id)
        const newest = await loadNewestPosition(store.db)
        return withVersion(detail(sinkView(sink, newest)), sink.updatedAt)
      },
      create: async (call, id, body) => {
        checkUrl(body)
        await store.run(createSink, { id, body, secret: seal(id, body.secret ?? '') }, meta(call))
      },
      replace: async (call, id, body) => {
        checkUrl(body)
        await store.run(replaceSink, { id, body, secret: sealGiven(id, body) }, meta(call))
        sinkDelivery.wake()
      },
      patch: async (call, id, body) => {
        checkUrl(body)
        await store.run(patchSink, { id, body, secret: sealGiven(id, body) }, meta(call))
        sinkDelivery.wake()
      },
      remove: (call, id) => store.run(deleteSink, { id }, meta(call)),
    }),
    {
      method: 'POST',
      paths: [`${ONE}/test`],
      access,
      bodyCap: 'management',
      body: null,
      note: describe.one('EventSinkTest', 'Send a test event to a sink', {
        description:
          'The event is sent at once, with the settings of the sink, even when it is disabled. It has no position and is not repeated. `delivered` is false when the receiver refused it or could not be reached.',
      }),
      handle: async (call) => {
        const sink = await getSink(store.db, idOf(call))
        const { eventId, error, status, durationMs } = await sinkDelivery.test(sink)
        return detail({
          delivered: error === undefined,
          eventId,
          ...(status !== undefined && { status }),
          ...(error !== undefined && { error }),
          durationMs,
        })
      },
    },
    {
      method: 'POST',
      paths: [`${ONE}/replay`],
      access,
      bodyCap: 'management',
      body: { schema: EventSinkReplay, optional: false },
      note: describe.one('EventSinkReplayed', 'Deliver the events from a position again', {
        parameters: ['ifMatch'],
        description:
          'Events keep their ids. `from` in the response is the position of the first one: older events may have been deleted.',
      }),
      handle: async (call) => {
        const { from } = call.body as ReplayBody
        const started = await store.run(replaySink, { id: idOf(call), from }, meta(call))
        sinkDelivery.wake()
        return detail({ from: started })
      },
    },
  ]
}

type ShownSink = StoredSink & { readonly newest: number }

const instantOrNull = (at: number | null) => (at === null ? null : timestamp(at))

const viewMembers = createMemberView<ShownSink>(EVENT_SINK.members, {
  secretSet: ({ secret }) => secret !== null,
  behind: ({ position, newest }) => Math.max(0, newest - position),
  lastDeliveryAt: ({ lastDeliveryAt }) => instantOrNull(lastDeliveryAt),
})

function sinkView(sink: StoredSink, newest: number) {
  return {
    _links: selfLink('event-sinks', sink.id),
    id: sink.id,
    createdAt: timestamp(sink.createdAt),
    updatedAt: timestamp(sink.updatedAt),
    tags: sink.tags,
    ...viewMembers({ ...sink, newest }),
  }
}
