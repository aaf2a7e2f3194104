import type { KeyObject } from 'node:crypto'
import {
  buildOtlpLogs,
  FORMAT_TYPES,
  formatEvent,
  type SinkEvent,
  type SinkKind,
  webhookHeaders,
  webhookKey,
} from '@countersign/core'
import type { MessageSender } from '../../outbound/send-message.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Sealing } from '../../platform/keys/sealing.ts'
import type { Settings } from '../../platform/settings/index.ts'
import type { StoredSink } from '../../store/sink-row.ts'
import { type Delivered, deliverInOrder } from './deliver-in-order.ts'
import { appendLines } from './sink-file.ts'

export interface SinkSenderParts {
  readonly sender: MessageSender
  readonly clock: Clock
  readonly sealing: Sealing
  readonly settings: Pick<Settings, 'events'>
  /** Where sinks of the kind file write; undefined where there is no data directory. */
  readonly folder: string | undefined
}

/** Sends events to a sink. Resolves to what was sent, with the error of what was not. */
export type SendEvents = (sink: StoredSink, events: readonly SinkEvent[], isOver: () => boolean) => Promise<Delivered>

/** Messages about different subjects that are on their way at the same time. */
const AT_ONCE = 8
const OTLP_TYPE = 'application/json'

/** For what the secret of a sink is sealed. */
export const sinkSecretUse = (sinkId: string): string => `secret of event sink ${sinkId}`

export function createSendEvents({ sender, clock, sealing, settings, folder }: SinkSenderParts): SendEvents {
  const keysOf = ({ id, secret, previousSecret, previousSecretUntil }: StoredSink): KeyObject[] => {
    const hasPrevious = previousSecret !== null && (previousSecretUntil ?? 0) > clock.now()
    const sealed = [secret, hasPrevious ? previousSecret : null].filter((each) => each !== null)
    return sealed.map((each) => webhookKey(sealing.open(each, sinkSecretUse(id))))
  }
  const all = async (events: readonly SinkEvent[], send: () => Promise<unknown>): Promise<Delivered> => {
    try {
      await send()
      return { sent: events }
    } catch (error) {
      return { sent: [], error }
    }
  }

  const byKind: Readonly<Record<SinkKind, SendEvents>> = {
    webhook: (sink, events, isOver) => {
      const { id: owner, url, format } = sink
      const keys = keysOf(sink)
      const send = async (event: SinkEvent): Promise<void> => {
        const content = formatEvent(event, format)
        const headers = webhookHeaders({ id: event.id, at: clock.now(), body: content }, keys)
        await sender.send(url ?? '', { owner, type: FORMAT_TYPES[format], content, headers })
      }
      return deliverInOrder(events, { atOnce: AT_ONCE, send, isOver })
    },
    otlp: (sink, events) =>
      all(events, async () => {
        const { id: owner, url, format } = sink
        const now = clock.now()
        const content = buildOtlpLogs(events, format, now)
        const headers = webhookHeaders({ id: events[0]?.id ?? '', at: now, body: content }, keysOf(sink))
        await sender.send(url ?? '', { owner, type: OTLP_TYPE, content, headers })
      }),
    file: ({ name, format }, events) =>
      all(events, async () => {
        if (folder === undefined) throw new TypeError('there is no data directory for files')
        const { maxFileBytes: maxBytes, keepFiles } = settings.events
        const lines = events.map((event) => formatEvent(event, format))
        await appendLines({ folder, name, maxBytes, keepFiles }, lines)
      }),
  }
  return async (sink, events, isOver) => {
    try {
      return await byKind[sink.kind](sink, events, isOver)
    } catch (error) {
      return { sent: [], error }
    }
  }
}
