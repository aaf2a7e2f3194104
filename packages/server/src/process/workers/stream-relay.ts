import { AppError } from '@countersign/core'
import type { SharedEventHub } from '../../events/event-hub.ts'
import type { ToldEvent } from '../../events/event-ring.ts'
import type { Channel } from './channel.ts'
import type { ToldEvents, WorkerProcedures } from './protocol.ts'

type WorkerChannel = Channel<WorkerProcedures>

/** Puts the events of all workers in one order and tells them to those workers that have somebody who reads them. */
export interface StreamRelay {
  publish(events: readonly ToldEvent[]): void
  /** Answers what is remembered. Throws when as many streams are open as the node may have. */
  open(worker: WorkerChannel): ToldEvents
  close(worker: WorkerChannel): void
  /** The worker has ended. */
  drop(worker: WorkerChannel): void
}

export function createStreamRelay(hub: SharedEventHub, maxStreams: number): StreamRelay {
  const open = new Map<WorkerChannel, number>()
  const countOpen = (): number => [...open.values()].reduce((sum, count) => sum + count, 0)

  const remembered = (): ToldEvents => {
    const reader = hub.readAfter(0)
    const events: ToldEvent[] = []
    for (let next = reader.next(); next; next = reader.next())
      events.push({ namespace: next.namespace, text: next.text })
    return { first: hub.last - events.length + 1, events }
  }

  return {
    publish: (events) => {
      const first = hub.last + 1
      hub.publishTold(events)
      for (const worker of open.keys()) worker.tell('events', { first, events })
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
