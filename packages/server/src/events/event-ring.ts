import type { ControllerEvent, EventNamespace } from './controller-event.ts'
import { eventText } from './event-text.ts'
import type { JsonText } from './json-text.ts'

export interface SerializedEvent {
  readonly namespace: EventNamespace
  /** One line of JSON. */
  readonly text: string
  /** The organization of the hosted API that it concerns; undefined for events of the controller. */
  readonly organizationId?: string | undefined
}

export interface PublishedEvent extends SerializedEvent {
  /** The position in the events of this node, from 1. */
  readonly number: number
}

/** An event of this process. Serialized on the first read of `text`. */
export class LocalEvent implements SerializedEvent {
  readonly event: ControllerEvent
  readonly organizationId: string | undefined
  readonly #nodeId: string
  readonly #at: number
  #text: string | undefined

  constructor(event: ControllerEvent, nodeId: string, at: number, organizationId?: string) {
    this.event = event
    this.organizationId = organizationId
    this.#nodeId = nodeId
    this.#at = at
  }

  get namespace(): EventNamespace {
    return this.event.namespace
  }

  get text(): string {
    this.#text ??= eventText(this.event, this.#nodeId, this.#at)
    return this.#text
  }
}

class Numbered implements PublishedEvent {
  readonly number: number
  readonly event: SerializedEvent

  constructor(number: number, event: SerializedEvent) {
    this.number = number
    this.event = event
  }

  get namespace(): EventNamespace {
    return this.event.namespace
  }

  get text(): string {
    return this.event.text
  }

  get organizationId(): string | undefined {
    return this.event.organizationId
  }
}

export interface RingLimits {
  readonly maxEvents: number
  /** The total length of the states in entity changes. */
  readonly maxCharacters: number
}

/** The newest events, numbered from 1, within both limits. */
export class EventRing {
  readonly #slots: (Numbered | undefined)[]
  readonly #limits: RingLimits
  #first = 1
  #next = 1
  #characters = 0

  constructor(limits: RingLimits) {
    this.#limits = limits
    this.#slots = new Array(limits.maxEvents)
  }

  /** The number of the oldest event that is kept; `last + 1` when there is none. */
  get first(): number {
    return this.#first
  }

  /** The number of the newest event; 0 before the first. */
  get last(): number {
    return this.#next - 1
  }

  /** Drops all events. The next one gets the number `next`. */
  restart(next: number): void {
    this.#slots.fill(undefined)
    this.#first = next
    this.#next = next
    this.#characters = 0
  }

  push(event: SerializedEvent): void {
    if (this.#next - this.#first >= this.#limits.maxEvents) this.#dropOldest()
    this.#slots[this.#next % this.#limits.maxEvents] = new Numbered(this.#next, event)
    this.#next++
    this.#characters += charactersOf(event)
    while (this.#characters > this.#limits.maxCharacters && this.#first < this.last) this.#dropOldest()
  }

  get(number: number): PublishedEvent | undefined {
    return number >= this.#first && number < this.#next ? this.#slots[number % this.#limits.maxEvents] : undefined
  }

  #dropOldest(): void {
    const at = this.#first % this.#limits.maxEvents
    const oldest = this.#slots[at]
    if (oldest) this.#characters -= charactersOf(oldest.event)
    this.#slots[at] = undefined
    this.#first++
  }
}

function charactersOf(event: SerializedEvent): number {
  if (event.namespace !== 'entityChange') return 0
  if (!(event instanceof LocalEvent)) return event.text.length
  if (event.event.namespace !== 'entityChange') return 0
  const lengthOf = (state: JsonText | null) => state?.text.length ?? 0
  return lengthOf(event.event.initialState) + lengthOf(event.event.finalState)
}
