/**
 * Gathers what is to go to another thread, and sends together what comes in one turn of the event loop: a message costs more than what is in it.
 * Once there are `max`, they leave at once, so that the other thread begins while the rest of the turn is still put together.
 */
export class Outbox<Thing> {
  readonly #max: number
  readonly #send: (things: Thing[]) => void
  #things: Thing[] = []

  constructor(max: number, send: (things: Thing[]) => void) {
    this.#max = max
    this.#send = send
  }

  add(thing: Thing): void {
    if (this.#things.length === 0) setImmediate(() => this.flush())
    this.#things.push(thing)
    if (this.#things.length >= this.#max) this.flush()
  }

  /** Sends what is there now, if anything is. */
  flush(): void {
    if (this.#things.length === 0) return
    const things = this.#things
    this.#things = []
    this.#send(things)
  }
}
