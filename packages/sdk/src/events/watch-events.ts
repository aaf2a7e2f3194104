import type { ControllerApi } from '../controller/controller-api.ts'
import { CountersignError } from '../countersign-error.ts'
import { parseJson } from '../http/read-body.ts'
import { retryDelayMs, sleep } from '../http/retry-delay.ts'
import { parseEventStream } from './parse-event-stream.ts'

export interface ControllerEvent {
  readonly namespace: string
  readonly timestamp: string
  readonly [member: string]: unknown
}

/** An event, or a gap: the controller no longer has some of the events that were missed. */
export interface WatchedEvent {
  readonly kind: 'event' | 'gap'
  /** Pass it as `lastEventId` to resume after this event. */
  readonly id: string | undefined
  readonly event: ControllerEvent
}

export interface WatchOptions {
  /** Default: all. */
  readonly namespaces?: readonly string[] | undefined
  /** Starts after this event, as far as the controller still has it. Default: starts with the next event. */
  readonly lastEventId?: string | undefined
  /** Ends the iteration without an error. */
  readonly signal?: AbortSignal | undefined
}

/** Consecutive failures before giving up. Any event resets the count. */
const MAX_FAILURES = 8

/**
 * Yields events as they happen. Resumes a broken stream after the last event. Ends when the signal aborts; throws CountersignError when
 * the server refuses or stays unreachable.
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
      if (failures >= MAX_FAILURES) throw error
    }
    // A stream that the server ends is resumed like a broken one.
    await sleep(retryDelayMs(failures, undefined) ?? 0, signal).catch(() => {})
    failures++
  }
}
