import { AppError } from '@countersign/core'
import type { SharedEventHub } from '../../events/event-hub.ts'
import type { SerializedEvent } from '../../events/event-ring.ts'
import type { Channel } from './channel.ts'
import type { EventBatch, WorkerProcedures } from './protocol.ts'

type WorkerChannel = Channel<WorkerProcedures>

/** Orders the events of all workers and forwards them to the workers that have open event streams. */
export interface StreamRelay {
  publish(events: readonly SerializedEvent[]): void
  /** Returns the remembered events. Throws when the node has too many streams. */
  open(worker: WorkerChannel): EventBatch
  close(worker: WorkerChannel): void
  /** Call when the worker has ended. */
  drop(worker: WorkerChannel): void
}

export function createStreamRelay(hub: SharedEventHub, maxStreams: number): StreamRelay {
  const open = new Map<WorkerChannel, number>()
  const countOpen = (): number => [...open.values()].reduce((sum, count) => sum + count, 0)

  const remembered = (): EventBatch => {
    const reader = hub.readAfter(0)
    const events: SerializedEvent[] = []
    for (let next = reader.next(); next; next = reader.next())
      events.push({ namespace: next.namespace, text: next.text })
    return { first: hub.last - events.length + 1, events }
  }

  return {
    publish: (events) => {
      const first = hub.last + 1
      hub.publishForwarded(events)
      for (const worker of open.keys()) worker.send('events', { first, events })
    },
    open: (worker) => {
      if (countOpen() >= maxStreams) throw new AppError('SERVER_TOO_MANY_REQUESTS')
      open.set(worker, (open.get(worker) ?? 0) + 1)
      return remembered()
    },
    close: (worker) => {
      const left = (open.get(worker) ?? 0) - 1
      if (left > 0) open.set(worker, left)
      else open.delete(worker)
    },
    drop: (worker) => void open.delete(worker),
  }
}
