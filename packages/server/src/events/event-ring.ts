import type { ControllerEvent, EventNamespace } from './controller-event.ts'
import { eventText } from './event-text.ts'
import type { JsonText } from './json-text.ts'

/** An event as it is told. */
export interface ToldEvent {
  readonly namespace: EventNamespace
  /** One line of JSON. */
  readonly text: string
}

/** An event with its place in the order of this node. */
export interface PublishedEvent extends ToldEvent {
  readonly number: number
}

/** The text of an event that happens here is made when somebody first wants it. */
export class OwnEvent implements ToldEvent {
  readonly event: ControllerEvent
  readonly #nodeId: string
  readonly #at: number
  #text: string | undefined

  constructor(event: ControllerEvent, nodeId: string, at: number) {
    this.event = event
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
  readonly told: ToldEvent

  constructor(number: number, told: ToldEvent) {
    this.number = number
    this.told = told
  }

  get namespace(): EventNamespace {
    return this.told.namespace
  }

  get text(): string {
    return this.told.text
  }
}

export interface RingLimits {
  readonly maxEvents: number
  /** Characters of the states that entity changes carry, all together. */
  readonly maxCharacters: number
}

/** The newest events, numbered from 1. Both bounds hold whatever is put in. */
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

  /** The number of the oldest event that is still here; one more than `last` when there is none. */
  get first(): number {
    return this.#first
  }

  /** The number of the newest event, 0 before the first. */
  get last(): number {
    return this.#next - 1
  }

  /** Forgets everything; the next event gets that number. */
  restart(next: number): void {
    this.#slots.fill(undefined)
    this.#first = next
    this.#next = next
    this.#characters = 0
  }

  push(event: ToldEvent): void {
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
    if (oldest) this.#characters -= charactersOf(oldest.told)
    this.#slots[at] = undefined
    this.#first++
  }
}

function charactersOf(told: ToldEvent): number {
  if (told.namespace !== 'entityChange') return 0
  if (!(told instanceof OwnEvent)) return told.text.length
  if (told.event.namespace !== 'entityChange') return 0
  const lengthOf = (state: JsonText | null) => state?.text.length ?? 0
  return lengthOf(told.event.initialState) + lengthOf(told.event.finalState)
}
