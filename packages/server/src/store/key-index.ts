/** Keys by name. Most names have one key, which needs no set: that halves the memory. */
export class KeyIndex {
  readonly #keys = new Map<string, string | Set<string>>()

  /** The number of names. */
  get size(): number {
    return this.#keys.size
  }

  /** Adds a key that the name does not have yet. */
  add(name: string, key: string): void {
    const keys = this.#keys.get(name)
    if (keys === undefined) this.#keys.set(name, key)
    else if (typeof keys === 'string') this.#keys.set(name, new Set([keys, key]))
    else keys.add(key)
  }

  remove(name: string, key: string): void {
    const keys = this.#keys.get(name)
    if (keys instanceof Set) keys.delete(key)
    if (keys === key || (keys instanceof Set && keys.size === 0)) this.#keys.delete(name)
  }

  find(name: string): readonly string[] {
    const keys = this.#keys.get(name)
    return typeof keys === 'string' ? [keys] : [...(keys ?? [])]
  }
}
