import { setReachable } from './connection.ts'
import { EVENTS } from './paths.ts'

/** An event of the controller. Its other members depend on its namespace. */
export interface ControllerEvent {
  /** The resume point; unique per event. */
  readonly streamId: string
  readonly namespace: string
  readonly timestamp: string
  readonly [member: string]: unknown
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

  const readOnce = async (): Promise<boolean> => {
    const headers = { accept: 'text/event-stream', 'last-event-id': lastId }
    const response = await fetch(EVENTS + query, { headers, credentials: 'same-origin', signal: stop.signal })
    setReachable(true)
    if (!response.ok || !response.body) return response.status >= 500 || response.status === 429
    onState('open')
    waitMs = FIRST_WAIT_MS
    for await (const events of readEvents(response.body)) {
      lastId = events.at(-1)?.streamId ?? lastId
      onEvents(events)
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

async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<readonly ControllerEvent[]> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      const blocks = (rest + value).split('\n\n')
      rest = blocks.pop() ?? ''
      const events = blocks.flatMap(parseBlock)
      if (events.length > 0) yield events
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

/** Skips comments and the stream's own notices (gap, end), which have no id. */
function parseBlock(block: string): ControllerEvent[] {
  const lines = block.split('\n')
  const streamId = lines.find((line) => line.startsWith('id: '))?.slice(4)
  const data = lines.find((line) => line.startsWith('data: '))?.slice(6)
  return streamId && data ? [{ ...JSON.parse(data), streamId }] : []
}
