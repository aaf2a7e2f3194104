import type { ControllerEvent } from './controller-event.ts'
import { eventText } from './event-text.ts'
import type { JsonText } from './json-text.ts'

/** An event with its place in the order of this node; its text is made when somebody first wants it. */
export class PublishedEvent {
  readonly number: number
  readonly event: ControllerEvent
  readonly #nodeId: string
  readonly #at: number
  #text: string | undefined

  constructor(number: number, event: ControllerEvent, nodeId: string, at: number) {
    this.number = number
    this.event = event
    this.#nodeId = nodeId
    this.#at = at
  }

  get text(): string {
    this.#text ??= eventText(this.event, this.#nodeId, this.#at)
    return this.#text
  }
}

export interface RingLimits {
  readonly maxEvents: number
  /** Characters of the states that entity changes carry, all together. */
  readonly maxCharacters: number
}

/** The newest events, numbered from 1. Both bounds hold whatever is put in. */
export class EventRing {
  readonly #slots: (PublishedEvent | undefined)[]
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

  push(event: ControllerEvent, nodeId: string, at: number): void {
    if (this.#next - this.#first >= this.#limits.maxEvents) this.#dropOldest()
    this.#slots[this.#next % this.#limits.maxEvents] = new PublishedEvent(this.#next, event, nodeId, at)
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

function charactersOf(event: ControllerEvent): number {
  if (event.namespace !== 'entityChange') return 0
  const lengthOf = (state: JsonText | null) => state?.text.length ?? 0
  return lengthOf(event.initialState) + lengthOf(event.finalState)
}
