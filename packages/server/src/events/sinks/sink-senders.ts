import {
  buildOtlpLogs,
  FORMAT_TYPES,
  formatEvent,
  otlpBatches,
  type SinkEvent,
  type SinkKind,
  shortenedEvent,
  webhookHeaders,
  webhookKey,
} from '@countersign/core'
import { OutboundError } from '../../outbound/outbound-error.ts'
import type { MessageSender } from '../../outbound/send-message.ts'
import type { Clock } from '../../platform/clock.ts'
import { FairQueue } from '../../platform/fair-queue.ts'
import type { Settings } from '../../platform/settings/index.ts'
import { type Delivered, deliverInOrder } from './deliver-in-order.ts'
import type { Recipient } from './recipient.ts'
import { appendLines } from './sink-file.ts'

export interface SinkSenderParts {
  readonly sender: MessageSender
  readonly clock: Clock
  readonly settings: Pick<Settings, 'events'>
  /** Where sinks of the kind file write; undefined where there is no data directory. */
  readonly folder: string | undefined
}

/** Sends events, and begins no further message after `beginWithinMs`. Resolves to what was sent, with the error of what was not. */
export type SendEvents = (
  recipient: Recipient,
  events: readonly SinkEvent[],
  beginWithinMs: number,
) => Promise<Delivered>

/** Messages about different subjects that are on their way at the same time. */
const AT_ONCE = 8
const OTLP_TYPE = 'application/json'
const MAX_WAITING = 100

export function createSendEvents({ sender, clock, settings, folder }: SinkSenderParts): SendEvents {
  const files = new FairQueue({ atOnce: Number.POSITIVE_INFINITY, perKey: 1, maxWaiting: MAX_WAITING })
  /** Sends one batch after the other, and the events of one that is too long one by one. Ends after the first failure. */
  const inBatches = async (
    batches: readonly (readonly SinkEvent[])[],
    send: (batch: readonly SinkEvent[]) => Promise<unknown>,
    isOver: () => boolean,
  ): Promise<Delivered> => {
    const sent: SinkEvent[] = []
    const queue = [...batches]
    for (let batch = queue.shift(); batch; batch = queue.shift()) {
      if (sent.length > 0 && isOver()) break
      try {
        await send(batch)
      } catch (error) {
        if (!isTooLong(error) || batch.length === 1) return { sent, error }
        queue.unshift(...batch.map((event) => [event]))
        continue
      }
      sent.push(...batch)
    }
    return { sent }
  }

  const byKind: Readonly<Record<SinkKind, SendUntilOver>> = {
    webhook: ({ id: owner, url, format, secrets }, events, isOver) => {
      const keys = secrets.map(webhookKey)
      const send = async (event: SinkEvent): Promise<void> => {
        const content = formatEvent(event, format)
        const headers = webhookHeaders({ id: event.id, at: clock.now(), body: content }, keys)
        await sender.send(url ?? '', { owner, type: FORMAT_TYPES[format], content, headers })
      }
      return deliverInOrder(events, { atOnce: AT_ONCE, send: (event) => shortenIfTooLong(event, send), isOver })
    },
    otlp: ({ id: owner, url, format, secrets }, events, isOver) => {
      const keys = secrets.map(webhookKey)
      const send = async (batch: readonly SinkEvent[]): Promise<void> => {
        const now = clock.now()
        const content = buildOtlpLogs(batch, format, now)
        const headers = webhookHeaders({ id: batch[0]?.id ?? '', at: now, body: content }, keys)
        await sender.send(url ?? '', { owner, type: OTLP_TYPE, content, headers })
      }
      const sendBatch = (batch: readonly SinkEvent[]): Promise<void> => {
        const [event, ...others] = batch
        return event && others.length === 0 ? shortenIfTooLong(event, (one) => send([one])) : send(batch)
      }
      return inBatches(otlpBatches(events), sendBatch, isOver)
    },
    file: ({ name, format }, events, isOver) => {
      const append = async (batch: readonly SinkEvent[]): Promise<void> => {
        if (folder === undefined) throw new TypeError('there is no data directory for files')
        const { maxFileBytes: maxBytes, keepFiles } = settings.events
        const lines = batch.map((event) => formatEvent(event, format))
        // A test can come while a batch is written.
        await files.run(name, () => appendLines({ folder, name, maxBytes, keepFiles }, lines))
      }
      return inBatches([events], append, isOver)
    },
  }
  return async (recipient, events, beginWithinMs) => {
    const endsAt = performance.now() + beginWithinMs
    try {
      return await byKind[recipient.kind](recipient, events, () => performance.now() > endsAt)
    } catch (error) {
      return { sent: [], error }
    }
  }
}

type SendUntilOver = (recipient: Recipient, events: readonly SinkEvent[], isOver: () => boolean) => Promise<Delivered>

const CONTENT_TOO_LARGE = 413

function isTooLong(error: unknown): boolean {
  return error instanceof OutboundError && error.status === CONTENT_TOO_LARGE
}

/** An event that its receiver never accepts would keep all later ones from it. */
async function shortenIfTooLong(event: SinkEvent, send: (event: SinkEvent) => Promise<void>): Promise<void> {
  try {
    await send(event)
  } catch (error) {
    if (!isTooLong(error)) throw error
    await send(shortenedEvent(event))
  }
}
