import type { SharedEventHub } from '../../events/event-hub.ts'
import type { SerializedEvent } from '../../events/event-ring.ts'
import { type StreamHolder, StreamPlaces } from '../../events/stream-places.ts'
import type { Channel } from './channel.ts'
import type { EventBatch, WorkerProcedures } from './protocol.ts'

type WorkerChannel = Channel<WorkerProcedures>

/** Orders the events of all workers and forwards them to the workers that have open event streams. */
export interface StreamRelay {
  publish(events: readonly SerializedEvent[]): void
  /** Returns the remembered events. Throws when the node has too many streams. */
  open(worker: WorkerChannel, holder: StreamHolder): EventBatch
  close(worker: WorkerChannel, holder: StreamHolder): void
  /** Call when the worker has ended. */
  drop(worker: WorkerChannel): void
}

interface OpenStream {
  readonly identityId: string
  /** Gives its place back. */
  leave(): void
}

export function createStreamRelay(hub: SharedEventHub, maxStreams: number): StreamRelay {
  const open = new Map<WorkerChannel, OpenStream[]>()
  const places = new StreamPlaces(maxStreams)

  const remembered = (): EventBatch => {
    const reader = hub.readAfter(0)
    const events: SerializedEvent[] = []
    for (let next = reader.next(); next; next = reader.next()) {
      const { namespace, text, organizationId } = next
      events.push({ namespace, text, organizationId })
    }
    return { first: hub.last - events.length + 1, events }
  }

  return {
    publish: (events) => {
      const first = hub.last + 1
      hub.publishForwarded(events)
      for (const worker of open.keys()) worker.send('events', { first, events })
    },
    open: (worker, holder) => {
      const leave = places.take(holder)
      open.set(worker, [...(open.get(worker) ?? []), { identityId: holder.identityId, leave }])
      return remembered()
    },
    close: (worker, { identityId }) => {
      const streams = open.get(worker) ?? []
      const closed = streams.find((stream) => stream.identityId === identityId)
      closed?.leave()
      const left = streams.filter((stream) => stream !== closed)
      if (left.length > 0) open.set(worker, left)
      else open.delete(worker)
    },
    drop: (worker) => {
      for (const { leave } of open.get(worker) ?? []) leave()
      open.delete(worker)
    },
  }
}
