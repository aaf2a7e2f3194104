import type { EventNamespace } from '../../events/controller-event.ts'
import { createEventHub, type EventHub } from '../../events/event-hub.ts'
import type { ToldEvent } from '../../events/event-ring.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Channel } from './channel.ts'
import type { PrimaryProcedures, ToldEvents } from './protocol.ts'

/** What there is much of is told together after so long. */
const GATHER_MS = 10
const GATHERED: ReadonlySet<EventNamespace> = new Set(['authentication', 'apiSession'])

export interface WorkerEvents {
  readonly hub: EventHub
  /** Takes events of the node, in the order of the node. */
  take(told: ToldEvents): void
  /** Tells what is left. */
  flush(): void
}

/**
 * The events of a worker. They are put in order by the process that started it, and come back from there as long as somebody reads
 * them here, with those of all other workers.
 */
export function createWorkerEvents(
  primary: Channel<PrimaryProcedures>,
  { nodeId, clock }: { nodeId: string; clock: Clock },
): WorkerEvents {
  let outbox: ToldEvent[] = []
  let timer: NodeJS.Timeout | undefined
  let streams = 0
  let opening: Promise<unknown> = Promise.resolve()
  /** What is told while a stream is being opened: it may come before the answer that does not hold it, or with it. */
  let early: ToldEvents[] | undefined

  const flush = (): void => {
    clearTimeout(timer)
    timer = undefined
    const events = outbox.map(({ namespace, text }) => ({ namespace, text }))
    outbox = []
    if (events.length > 0) primary.tell('publish', events)
  }

  /** Adds what is not here yet of the events that were told. */
  const add = ({ first, events }: ToldEvents): void => {
    if (first <= hub.last + 1) hub.publishTold(events.slice(hub.last + 1 - first))
  }

  const open = async (): Promise<void> => {
    early = []
    try {
      const remembered = await primary.call('openStream', null)
      if (streams === 0) {
        hub.restart(remembered.first)
        add(remembered)
      }
      streams++
    } finally {
      for (const told of early) add(told)
      early = undefined
    }
  }

  const follow = async (): Promise<() => void> => {
    // One after the other: the first stream brings what is remembered, the others find it here.
    const opened = opening.then(open)
    opening = opened.catch(() => {})
    await opened
    return () => {
      streams--
      primary.tell('closeStream', null)
    }
  }

  const hub = createEventHub({
    nodeId,
    clock,
    follow,
    forward: (event) => {
      outbox.push(event)
      if (GATHERED.has(event.namespace)) timer ??= setTimeout(flush, GATHER_MS).unref()
      // Whoever has the answer and changes something else by another worker finds both in that order.
      else flush()
    },
  })
  return {
    hub,
    take: (told) => {
      if (early) early.push(told)
      // What was sent before the last stream was closed has been told, or will be by the next snapshot.
      else if (streams > 0) add(told)
    },
    flush,
  }
}
