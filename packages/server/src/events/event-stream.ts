import type { Clock } from '../platform/clock.ts'
import type { EventNamespace } from './controller-event.ts'
import type { EventHub } from './event-hub.ts'
import type { EventStreamSource, StreamEnd } from './event-stream-source.ts'
import { noticeText } from './event-text.ts'

interface EventStreamOptions {
  readonly events: EventHub
  readonly clock: Clock
  /** Undefined for all. */
  readonly namespaces: ReadonlySet<EventNamespace> | undefined
  /** The resume point that the reader has from an earlier stream, not yet looked at. */
  readonly untrustedLastEventId: string | undefined
  /** Nobody reads it any more. */
  onClose?(): void
}

/** So much is gathered before it is sent. */
const CHUNK_CHARACTERS = 16_384

const FAREWELLS: Readonly<Record<StreamEnd, string>> = {
  'not-admitted': 'the session has ended, or may not read events any more',
  'too-slow': 'events came faster than they were read: resume with Last-Event-ID, some may be missing',
  stopping: 'the controller stops',
}

/** The events of this node as server-sent events, from the resume point on or else from now on. */
export function createEventStream({
  events,
  clock,
  namespaces,
  untrustedLastEventId,
  onClose,
}: EventStreamOptions): EventStreamSource {
  const { nodeId } = events
  const resume = resumePoint(events, untrustedLastEventId)
  const reader = events.readAfter(resume.after)
  const missedBefore = reader.missed

  const notice = (kind: 'gap' | 'end', message: string): string =>
    `event: ${kind}\ndata: ${noticeText(nodeId, clock.now(), kind, message)}\n\n`

  let opening = `: events of ${nodeId}\n\n`
  if (resume.isUnknown) opening += notice('gap', 'the resume point is not of this node, or from before its start')
  else if (missedBefore > 0) opening += notice('gap', `${missedBefore} events since the resume point are forgotten`)

  return {
    read: () => {
      let text = opening
      opening = ''
      while (text.length < CHUNK_CHARACTERS) {
        const next = reader.next()
        if (!next) break
        if (namespaces && !namespaces.has(next.namespace)) continue
        text += `id: ${nodeId}.${next.number}\ndata: ${next.text}\n\n`
      }
      return text
    },
    get isTooSlow() {
      return reader.missed > missedBefore
    },
    wake: (listener) => reader.wake(listener),
    close: () => onClose?.(),
    farewell: (reason) => notice('end', FAREWELLS[reason]),
  }
}

/** Where to begin. What is unknown begins with everything that is remembered. */
function resumePoint(events: EventHub, untrustedId: string | undefined): { after: number; isUnknown: boolean } {
  if (untrustedId === undefined) return { after: events.last, isUnknown: false }
  const [nodeId, number = ''] = untrustedId.split('.', 2)
  const after = /^[1-9][0-9]{0,14}$/.test(number) ? Number(number) : undefined
  const isKnown = nodeId === events.nodeId && after !== undefined && after <= events.last
  return isKnown ? { after, isUnknown: false } : { after: 0, isUnknown: true }
}
