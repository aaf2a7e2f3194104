import type { Clock } from '../platform/clock.ts'
import type { EventNamespace } from './controller-event.ts'
import type { EventHub } from './event-hub.ts'
import type { EventStreamSource, StreamEnd } from './event-stream-source.ts'
import { noticeText } from './event-text.ts'

interface EventStreamOptions {
  readonly events: EventHub
  readonly clock: Clock
  /** Undefined means all. */
  readonly namespaces: ReadonlySet<EventNamespace> | undefined
  /** The organization that owns this controller. Events of others are for their members alone. */
  readonly organizationId: string
  /** The resume point from an earlier stream, unverified. */
  readonly untrustedLastEventId: string | undefined
  /** Called when the stream has ended. */
  onClose?(): void
}

/** A read adds no more events once its text has this length. */
const CHUNK_CHARACTERS = 16_384

const END_MESSAGES: Readonly<Record<StreamEnd, string>> = {
  'not-authorized': 'the session has ended or its identity has lost rights',
  'too-slow': 'events came faster than they were read: resume with Last-Event-ID, some may be missing',
  stopping: 'the controller is stopping',
}

/** The events of this node as server-sent events, from the resume point, or from now on without one. */
export function createEventStream({
  events,
  clock,
  namespaces,
  organizationId,
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
  if (resume.isUnknown)
    opening += notice('gap', 'the resume point is of another node, or older than the start of this one')
  else if (missedBefore > 0)
    opening += notice('gap', `${missedBefore} events since the resume point are no longer available`)

  return {
    read: () => {
      let text = opening
      opening = ''
      while (text.length < CHUNK_CHARACTERS) {
        const next = reader.next()
        if (!next) break
        if (namespaces && !namespaces.has(next.namespace)) continue
        if (next.organizationId !== undefined && next.organizationId !== organizationId) continue
        text += `id: ${nodeId}.${next.number}\ndata: ${next.text}\n\n`
      }
      return text
    },
    get isTooSlow() {
      return reader.missed > missedBefore
    },
    wake: (listener) => reader.wake(listener),
    close: () => onClose?.(),
    endNotice: (reason) => notice('end', END_MESSAGES[reason]),
  }
}

/** The number after which to start. An unknown resume point starts with all events that are kept. */
function resumePoint(events: EventHub, untrustedId: string | undefined): { after: number; isUnknown: boolean } {
  if (untrustedId === undefined) return { after: events.last, isUnknown: false }
  const [nodeId, number = ''] = untrustedId.split('.', 2)
  const after = /^[1-9][0-9]{0,14}$/.test(number) ? Number(number) : undefined
  const isKnown = nodeId === events.nodeId && after !== undefined && after <= events.last
  return isKnown ? { after, isUnknown: false } : { after: 0, isUnknown: true }
}
