const EMPTY = Buffer.alloc(0)

/** Bytes that arrive in pieces. Joins them only when as many as are wanted are there. */
export class ByteQueue {
  #parts: Buffer[] = []
  #length = 0

  get length(): number {
    return this.#length
  }

  push(bytes: Buffer): void {
    if (bytes.length === 0) return
    this.#parts.push(bytes)
    this.#length += bytes.length
  }

  /** The first bytes, which stay in the queue; undefined while there are fewer. */
  peek(count: number): Buffer | undefined {
    if (count > this.#length) return undefined
    const [first = EMPTY] = this.#parts
    if (first.length < count) this.#parts = [Buffer.concat(this.#parts)]
    return this.#parts[0]?.subarray(0, count)
  }

  /** Removes the first bytes, of which there must be as many. */
  take(count = this.#length): Buffer {
    const taken = this.peek(count) ?? EMPTY
    const rest = this.#parts[0]?.subarray(count) ?? EMPTY
    // An empty part would keep the memory of the whole.
    this.#parts = rest.length > 0 ? [rest, ...this.#parts.slice(1)] : this.#parts.slice(1)
    this.#length -= taken.length
    return taken
  }
}
