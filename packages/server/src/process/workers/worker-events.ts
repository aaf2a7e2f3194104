import type { EventNamespace } from '../../events/controller-event.ts'
import { createEventHub, type EventHub } from '../../events/event-hub.ts'
import type { SerializedEvent } from '../../events/event-ring.ts'
import type { StreamHolder } from '../../events/stream-places.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Channel } from './channel.ts'
import type { EventBatch, PrimaryProcedures } from './protocol.ts'

/** Frequent events are sent in batches, after this time. */
const BATCH_MS = 10
const BATCHED: ReadonlySet<EventNamespace> = new Set(['authentication', 'apiSession'])

export interface WorkerEvents {
  readonly hub: EventHub
  /** Adds events of the node, in the order of the node. */
  receive(batch: EventBatch): void
  /** Sends the remaining events. */
  flush(): void
}

/**
 * The events of a worker. They are sent to the primary process, which orders them. While this worker has open event streams, the primary
 * returns the events of all workers.
 */
export function createWorkerEvents(
  primary: Channel<PrimaryProcedures>,
  { nodeId, clock }: { nodeId: string; clock: Clock },
): WorkerEvents {
  let outbox: SerializedEvent[] = []
  let timer: NodeJS.Timeout | undefined
  let streams = 0
  let opening: Promise<unknown> = Promise.resolve()
  /** Batches received while a stream is being opened. The snapshot may or may not contain them. */
  let early: EventBatch[] | undefined

  const flush = (): void => {
    clearTimeout(timer)
    timer = undefined
    const events = outbox.map(({ namespace, text, organizationId }) => ({ namespace, text, organizationId }))
    outbox = []
    if (events.length > 0) primary.send('publish', events)
  }

  /** Adds the events of the batch that are new. */
  const add = ({ first, events }: EventBatch): void => {
    if (first <= hub.last + 1) hub.publishForwarded(events.slice(hub.last + 1 - first))
  }

  const open = async (holder: StreamHolder): Promise<void> => {
    early = []
    try {
      const remembered = await primary.call('openStream', holder)
      if (streams === 0) {
        hub.restart(remembered.first)
        add(remembered)
      }
      streams++
    } finally {
      for (const batch of early) add(batch)
      early = undefined
    }
  }

  const follow = async (holder: StreamHolder): Promise<() => void> => {
    // One at a time: the first stream loads the remembered events, which the others then use.
    const opened = opening.then(() => open(holder))
    opening = opened.catch(() => {})
    await opened
    return () => {
      streams--
      primary.send('closeStream', holder)
    }
  }

  const hub = createEventHub({
    nodeId,
    clock,
    follow,
    forward: (event) => {
      outbox.push(event)
      if (BATCHED.has(event.namespace)) timer ??= setTimeout(flush, BATCH_MS).unref()
      // A client may send its next request to another worker: both events must be in order.
      else flush()
    },
  })
  return {
    hub,
    receive: (batch) => {
      if (early) early.push(batch)
      // Without open streams the batch is dropped: the next snapshot contains it.
      else if (streams > 0) add(batch)
    },
    flush,
  }
}
