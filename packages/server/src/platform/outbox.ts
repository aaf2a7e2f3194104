/**
 * Sends the items of one turn of the event loop to another thread in one message, because a message costs more than its content. Sends at once
 * when there are `max` items, so that the other thread starts while this turn still runs.
 */
export class Outbox<Item> {
  readonly #max: number
  readonly #send: (items: Item[]) => void
  #items: Item[] = []

  constructor(max: number, send: (items: Item[]) => void) {
    this.#max = max
    this.#send = send
  }

  add(item: Item): void {
    if (this.#items.length === 0) setImmediate(() => this.flush())
    this.#items.push(item)
    if (this.#items.length >= this.#max) this.flush()
  }

  flush(): void {
    if (this.#items.length === 0) return
    const items = this.#items
    this.#items = []
    this.#send(items)
  }
}
