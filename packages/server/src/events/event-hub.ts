import { createDecisionSample } from '../limits/refusal-sample.ts'
import type { Clock } from '../platform/clock.ts'
import type { ControllerEvent, EventNamespace } from './controller-event.ts'
import { EventRing, OwnEvent, type PublishedEvent, type ToldEvent } from './event-ring.ts'

export interface EventHub {
  /** Who this node is in its events. */
  readonly nodeId: string
  /** Makes an event known. Costs the caller next to nothing, and never fails. */
  publish(event: ControllerEvent): void
  /** The same for what strangers can cause at will: of a flood a bounded share is published, no address taking it all. */
  publishSampled(event: ControllerEvent, address: string): void
  /** Makes sure that from now on everything that happens on this node can be read here. Answers how to leave off. */
  follow(): Promise<() => void>
  /** A reader that begins behind the event of that number; 0 for everything that is still there. */
  readAfter(number: number): EventReader
  /** The number of the newest event. */
  readonly last: number
  readonly counts: EventCounts
}

export interface EventCounts {
  readonly published: ReadonlyMap<EventNamespace, number>
  /** Left out because there were too many at once. */
  readonly sampledOut: number
}

/** Goes through the events in their order. It keeps nothing: whoever is too slow misses what the ring has dropped. */
export interface EventReader {
  /** The next event; undefined when there is none yet. */
  next(): PublishedEvent | undefined
  /** How many were dropped unread; from then on it reads what is there. */
  readonly missed: number
  /** Calls back, once and soon, when there is something to read. Answers how to call that off. */
  wake(listener: () => void): () => void
}

const LIMITS = { maxEvents: 4096, maxCharacters: 8 * 1024 * 1024 }

/** A hub that also takes events of other processes of its node. */
export interface SharedEventHub extends EventHub {
  publishTold(events: readonly ToldEvent[]): void
  /** Forgets everything that was read here; the next event gets that number. */
  restart(next: number): void
}

interface EventHubParts {
  readonly nodeId: string
  readonly clock: Clock
  /** Takes what is published here, in place of this hub: another process puts the events of the node in order. */
  readonly forward?: (event: ToldEvent) => void
  readonly follow?: () => Promise<() => void>
}

/** The events of one controller: the newest are kept in memory, and read from there by whoever writes or streams them. */
export function createEventHub({ nodeId, clock, forward, follow }: EventHubParts): SharedEventHub {
  const ring = new EventRing(LIMITS)
  const sample = createDecisionSample()
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
    // Once for all events of this turn, and after the answers of this turn.
    setImmediate(wakeAll)
  }

  const publish = (event: ControllerEvent): void => {
    const own = new OwnEvent(event, nodeId, clock.now())
    if (forward) forward(own)
    else ring.push(own)
    published.set(event.namespace, (published.get(event.namespace) ?? 0) + 1)
    wakeSoon()
  }

  return {
    nodeId,
    publish,
    publishTold: (events) => {
      for (const event of events) ring.push(event)
      wakeSoon()
    },
    restart: (next) => ring.restart(next),
    follow: follow ?? (async () => () => {}),
    publishSampled: (event, address) => {
      if (sample.keeps(address, clock.now())) publish(event)
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
