import type { ControllerApi } from '../controller/controller-api.ts'
import { CountersignError } from '../countersign-error.ts'
import { parseJson } from '../http/read-body.ts'
import { retryDelayMs, sleep } from '../http/retry-delay.ts'
import { parseEventStream } from './parse-event-stream.ts'

/** One event of a controller. */
export interface ControllerEvent {
  readonly namespace: string
  readonly timestamp: string
  readonly [member: string]: unknown
}

/** What a stream tells: an event, or that some may be missing. */
export interface WatchedEvent {
  readonly kind: 'event' | 'gap'
  /** Where to resume, for `lastEventId`. */
  readonly id: string | undefined
  readonly event: ControllerEvent
}

export interface WatchOptions {
  /** Which events; all unless given. */
  readonly namespaces?: readonly string[] | undefined
  /** Begin behind this one, as far as the controller remembers; with what comes from now on unless given. */
  readonly lastEventId?: string | undefined
  /** Ends the stream: the iteration then simply ends. */
  readonly signal?: AbortSignal | undefined
}

/** So often in a row it is tried to come back; any event begins the count anew. */
const MAX_ATTEMPTS = 8

/**
 * Events as they happen, without end: a stream that breaks is resumed where it was. Ends when the signal says so; throws
 * CountersignError when the server refuses or does not come back.
 */
export async function* watchEvents(
  api: ControllerApi,
  { namespaces, lastEventId, signal }: WatchOptions,
): AsyncGenerator<WatchedEvent> {
  let resumeAt = lastEventId
  let failures = 0
  const query = { namespace: namespaces?.join(',') }
  while (!signal?.aborted) {
    const headers = { accept: 'text/event-stream', ...(resumeAt !== undefined && { 'last-event-id': resumeAt }) }
    try {
      const { body } = await api.open('management', { method: 'GET', path: '/events', query, headers, signal })
      if (body) {
        for await (const { type, data, id } of parseEventStream(body)) {
          resumeAt = id ?? resumeAt
          failures = 0
          const event = parseJson(data) as ControllerEvent | undefined
          if (event && type !== 'end') yield { kind: type === 'gap' ? 'gap' : 'event', id: resumeAt, event }
        }
      }
    } catch (error) {
      if (signal?.aborted) return
      if (error instanceof CountersignError && error.status !== 0) throw error
      if (failures >= MAX_ATTEMPTS) throw error
    }
    // A stream that ends in silence is as good as one that breaks.
    await sleep(retryDelayMs(failures, undefined) ?? 0, signal).catch(() => {})
    failures++
  }
}
