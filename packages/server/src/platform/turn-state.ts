/** A value that begins anew in each turn of the event loop, when it is first asked for. */
export class TurnState<Value extends object | number> {
  readonly #begin: () => Value
  #value: Value | undefined

  constructor(begin: () => Value) {
    this.#begin = begin
  }

  get current(): Value {
    if (this.#value === undefined) {
      this.#value = this.#begin()
      setImmediate(() => {
        this.#value = undefined
      })
    }
    return this.#value
  }
}
