import { noteAnswered } from './connection.ts'
import { EVENTS } from './paths.ts'

/** An event of the controller; which members it has beside these depends on its namespace. */
export interface ControllerEvent {
  /** The resume point, which tells events apart. */
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

/** No resume point of any node: the controller begins with everything that it remembers. */
const FROM_THE_START = 'none.0'
const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 15_000

/** Reads events, those that the controller remembers first, and goes on after a lost connection. Gives back how to stop. */
export function followEvents({ namespaces, onEvents, onState }: EventListener): () => void {
  const stop = new AbortController()
  const query = namespaces?.length ? `?namespace=${namespaces.join(',')}` : ''
  let lastId = FROM_THE_START
  let waitMs = FIRST_WAIT_MS

  const readOnce = async (): Promise<boolean> => {
    const headers = { accept: 'text/event-stream', 'last-event-id': lastId }
    const response = await fetch(EVENTS + query, { headers, credentials: 'same-origin', signal: stop.signal })
    noteAnswered(true)
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
      const goesOn = await readOnce().catch(() => {
        if (!stop.signal.aborted) noteAnswered(false)
        return true
      })
      if (!goesOn) return onState('refused')
      await new Promise((resolve) => setTimeout(resolve, waitMs))
      waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)
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

/** Comments and notices of the stream itself (gap, end) have no id and are passed over. */
function parseBlock(block: string): ControllerEvent[] {
  const lines = block.split('\n')
  const streamId = lines.find((line) => line.startsWith('id: '))?.slice(4)
  const data = lines.find((line) => line.startsWith('data: '))?.slice(6)
  return streamId && data ? [{ ...JSON.parse(data), streamId }] : []
}
