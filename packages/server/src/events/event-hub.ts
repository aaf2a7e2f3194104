import { newId } from '@countersign/core'
import { createRefusalSampler } from '../limits/refusal-sampler.ts'
import type { Clock } from '../platform/clock.ts'
import { eventLines, type RecordedEvent } from '../store/event-lines.ts'
import type { ControllerEvent, EventNamespace } from './controller-event.ts'
import { EventRing, LocalEvent, type PublishedEvent, type SerializedEvent } from './event-ring.ts'
import { eventText } from './event-text.ts'
import type { StreamHolder } from './stream-places.ts'

export interface EventHub {
  /** The id of this node in its events. */
  readonly nodeId: string
  /** Publishes an event. Cheap, and never throws. */
  publish(event: ControllerEvent, options?: PublishOptions): void
  /** The lines of events that an operation records for sinks, in its transaction; undefined while there are no sinks. Publish the events with `isRecorded`. */
  toRecord(events: readonly ControllerEvent[]): string | undefined
  /** Gives all events that are published from now on to a recorder too. */
  recordWith(recorder: EventRecorder): void
  /** Like `publish`, for events that anonymous clients can cause: under a flood only a bounded sample is published, shared between addresses. */
  publishSampled(event: ControllerEvent, address: string, organizationId?: string): void
  /** Makes all events of this node readable here from now on. Returns a function that stops this. Throws when the node has too many streams. */
  follow(holder: StreamHolder): Promise<() => void>
  /** A reader that starts after the event with this number; 0 for all events that are still kept. */
  readAfter(number: number): EventReader
  /** The number of the newest event. */
  readonly last: number
  readonly counts: EventCounts
}

export interface PublishOptions {
  /** The organization of the hosted API that the event concerns. */
  readonly organizationId?: string | undefined
  /** Whether the transaction that caused the event has recorded it for sinks. */
  readonly isRecorded?: boolean | undefined
}

/** Records events for sinks. */
export interface EventRecorder {
  /** False while there are no sinks. */
  readonly isOn: boolean
  add(event: RecordedEvent): void
}

export interface EventCounts {
  readonly published: ReadonlyMap<EventNamespace, number>
  /** Events that sampling has left out. */
  readonly sampledOut: number
}

/** Reads the events in order. It buffers nothing: a slow reader misses the events that the ring drops. */
export interface EventReader {
  /** The next event, or undefined when there is none yet. */
  next(): PublishedEvent | undefined
  /** The number of events that were dropped before they were read. */
  readonly missed: number
  /** Calls `listener` once, soon after there is an event to read. Returns a function that cancels it. */
  wake(listener: () => void): () => void
}

const LIMITS = { maxEvents: 4096, maxCharacters: 8 * 1024 * 1024 }

/** A hub that also accepts events of other processes of its node. */
export interface SharedEventHub extends EventHub {
  publishForwarded(events: readonly SerializedEvent[]): void
  /** Drops all events. The next one gets the number `next`. */
  restart(next: number): void
}

interface EventHubParts {
  readonly nodeId: string
  readonly clock: Clock
  /** Receives published events in place of this hub, when another process orders the events of the node. */
  readonly forward?: (event: SerializedEvent) => void
  readonly follow?: (holder: StreamHolder) => Promise<() => void>
}

/** The events of one controller. The newest are kept in memory, for writers and streams to read. */
export function createEventHub({ nodeId, clock, forward, follow }: EventHubParts): SharedEventHub {
  const ring = new EventRing(LIMITS)
  const sample = createRefusalSampler()
  const sleeping = new Set<() => void>()
  const published = new Map<EventNamespace, number>()
  let sampledOut = 0
  let isWaking = false

  const wakeAll = (): void => {
    isWaking = false
    const listeners = [...sleeping]
    sleeping.clear()
    for (const listener of listeners) listener()
  }

  const wakeSoon = (): void => {
    if (isWaking || sleeping.size === 0) return
    isWaking = true
    // Once for all events of this turn, and after its HTTP responses.
    setImmediate(wakeAll)
  }

  let recorder: EventRecorder | undefined
  const publish = (event: ControllerEvent, { organizationId, isRecorded }: PublishOptions = {}): void => {
    const at = clock.now()
    const local = new LocalEvent(event, nodeId, at, organizationId)
    if (recorder?.isOn && !isRecorded) recorder.add({ id: newId(), at, text: local.text, organizationId })
    if (forward) forward(local)
    else ring.push(local)
    published.set(event.namespace, (published.get(event.namespace) ?? 0) + 1)
    wakeSoon()
  }

  return {
    nodeId,
    publish,
    recordWith: (given) => {
      recorder = given
    },
    toRecord: (events) => {
      if (!recorder?.isOn) return undefined
      const at = clock.now()
      return eventLines(events.map((event) => ({ id: newId(), at, text: eventText(event, nodeId, at) })))
    },
    publishForwarded: (events) => {
      for (const event of events) ring.push(event)
      wakeSoon()
    },
    restart: (next) => ring.restart(next),
    follow: follow ?? (async () => () => {}),
    publishSampled: (event, address, organizationId) => {
      if (sample.keeps(address, clock.now())) publish(event, { organizationId })
      else sampledOut++
    },
    readAfter: (number) => {
      let at = number === 0 ? ring.first : Math.min(number, ring.last) + 1
      let missed = 0
      return {
        next: () => {
          if (at < ring.first) {
            missed += ring.first - at
            at = ring.first
          }
          const event = ring.get(at)
          if (event) at++
          return event
        },
        get missed() {
          return missed + Math.max(0, ring.first - at)
        },
        wake: (listener) => {
          sleeping.add(listener)
          if (at <= ring.last) wakeSoon()
          return () => void sleeping.delete(listener)
        },
      }
    },
    get last() {
      return ring.last
    },
    get counts() {
      return { published, sampledOut }
    },
  }
}
