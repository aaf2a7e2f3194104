import { eventSubject, type SinkEvent } from '@countersign/core'

export interface Delivered {
  /** The events that were sent, in any order. */
  readonly sent: readonly SinkEvent[]
  /** Of the first event that could not be sent. */
  readonly error?: unknown
}

interface DeliverOptions {
  readonly atOnce: number
  send(event: SinkEvent): Promise<void>
  /** Whether to begin no further event once one has been sent. */
  isOver(): boolean
}

/** Sends events one by one: those about the same subject in their order, others beside them, and so those without a subject. Ends after the first failure. */
export async function deliverInOrder(events: readonly SinkEvent[], options: DeliverOptions): Promise<Delivered> {
  const { atOnce, send, isOver } = options
  const queues = [...Map.groupBy(events, (event) => eventSubject(event) ?? event).values()]
  const sent: SinkEvent[] = []
  let failure: { readonly error: unknown } | undefined

  const work = async (): Promise<void> => {
    for (let queue = queues.shift(); queue; queue = queues.shift()) {
      for (const event of queue) {
        if (failure || (sent.length > 0 && isOver())) return
        try {
          await send(event)
          sent.push(event)
        } catch (error) {
          failure ??= { error }
          return
        }
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, queues.length) }, work))
  return { sent, ...failure }
}
