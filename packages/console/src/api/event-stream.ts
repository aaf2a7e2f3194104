import { parseEventStream, type ControllerEvent as SentEvent } from '@countersign/sdk'
import { setReachable } from './connection.ts'
import { EVENTS } from './paths.ts'

/** An event of the controller. Its other members depend on its namespace. */
export interface ControllerEvent extends SentEvent {
  /** The resume point; unique per event. */
  readonly streamId: string
}

export type StreamState = 'connecting' | 'open' | 'refused'

interface EventListener {
  readonly namespaces?: readonly string[] | undefined
  readonly onEvents: (events: readonly ControllerEvent[]) => void
  readonly onState: (state: StreamState) => void
}

/** Matches no resume point, so the controller sends all events it has in memory. */
const FROM_THE_START = 'none.0'
const FIRST_WAIT_MS = 1_000
const MAX_WAIT_MS = 15_000

/** Reads events, beginning with those in the controller's memory, and reconnects when the connection is lost. Returns a function that stops. */
export function followEvents({ namespaces, onEvents, onState }: EventListener): () => void {
  const stop = new AbortController()
  const query = namespaces?.length ? `?namespace=${namespaces.join(',')}` : ''
  let lastId = FROM_THE_START
  let waitMs = FIRST_WAIT_MS
  let received: ControllerEvent[] = []

  const passOn = (): void => {
    const events = received
    received = []
    if (!stop.signal.aborted) onEvents(events)
  }

  /** Events that arrive together are passed on together: the first response can contain thousands. */
  const receive = (event: ControllerEvent): void => {
    if (received.length === 0) setTimeout(passOn)
    received.push(event)
  }

  const readOnce = async (): Promise<boolean> => {
    const headers = { accept: 'text/event-stream', 'last-event-id': lastId }
    const response = await fetch(EVENTS + query, { headers, credentials: 'same-origin', signal: stop.signal })
    setReachable(true)
    if (!response.ok || !response.body) return response.status >= 500 || response.status === 429
    onState('open')
    waitMs = FIRST_WAIT_MS
    for await (const { type, data, id } of parseEventStream(response.body)) {
      // The stream's own notices (gap, end) have a type of their own.
      if (type !== 'message' || id === undefined) continue
      lastId = id
      receive({ ...JSON.parse(data), streamId: id })
    }
    return true
  }

  const run = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      onState('connecting')
      const shouldRetry = await readOnce().catch(() => {
        if (!stop.signal.aborted) setReachable(false)
        return true
      })
      if (!shouldRetry) return onState('refused')
      await new Promise((resolve) => setTimeout(resolve, waitMs))
      waitMs = Math.min(waitMs * 2, MAX_WAIT_MS)
    }
  }
  void run()
  return () => stop.abort()
}
