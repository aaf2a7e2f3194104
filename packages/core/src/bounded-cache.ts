interface Entry<Key, Value> {
  readonly key: Key
  value: Value
  older: Entry<Key, Value> | undefined
  newer: Entry<Key, Value> | undefined
}

/** A limit on the total weight of the entries, in addition to their number. */
export interface CacheWeight<Value> {
  readonly max: number
  of(value: Value): number
}

/**
 * An LRU cache. The order of use is a linked list: finding the oldest entry of a `Map` that is used as a queue means skipping all entries that
 * were deleted before it.
 */
export class BoundedCache<Key, Value> {
  readonly #entries = new Map<Key, Entry<Key, Value>>()
  readonly #maxEntries: number
  readonly #weight: CacheWeight<Value> | undefined
  #weighs = 0
  #oldest: Entry<Key, Value> | undefined
  #newest: Entry<Key, Value> | undefined

  constructor(maxEntries: number, weight?: CacheWeight<Value>) {
    this.#maxEntries = maxEntries
    this.#weight = weight
  }

  get size(): number {
    return this.#entries.size
  }

  get(key: Key): Value | undefined {
    const entry = this.#entries.get(key)
    if (!entry) return undefined
    this.#makeNewest(entry)
    return entry.value
  }

  /** Returns the value without marking it as used. */
  peek(key: Key): Value | undefined {
    return this.#entries.get(key)?.value
  }

  set(key: Key, value: Value): void {
    const known = this.#entries.get(key)
    if (known) this.#replace(known, value)
    else this.#add(key, value)
    while (this.#oldest && this.#isOverfull()) this.delete(this.#oldest.key)
  }

  delete(key: Key): void {
    const entry = this.#entries.get(key)
    if (!entry) return
    this.#entries.delete(key)
    this.#unchain(entry)
    this.#weighs -= this.#weight?.of(entry.value) ?? 0
  }

  clear(): void {
    this.#entries.clear()
    this.#weighs = 0
    this.#oldest = undefined
    this.#newest = undefined
  }

  *entries(): IterableIterator<[Key, Value]> {
    for (const { key, value } of this.#entries.values()) yield [key, value]
  }

  *values(): IterableIterator<Value> {
    for (const { value } of this.#entries.values()) yield value
  }

  #add(key: Key, value: Value): void {
    const entry: Entry<Key, Value> = { key, value, older: undefined, newer: undefined }
    this.#entries.set(key, entry)
    this.#chain(entry)
    this.#weighs += this.#weight?.of(value) ?? 0
  }

  /** Does not touch the `Map`: deleting and setting a key leaves a deleted entry behind each time, which slows down lookups. */
  #replace(entry: Entry<Key, Value>, value: Value): void {
    this.#weighs += (this.#weight?.of(value) ?? 0) - (this.#weight?.of(entry.value) ?? 0)
    entry.value = value
    this.#makeNewest(entry)
  }

  #makeNewest(entry: Entry<Key, Value>): void {
    if (entry === this.#newest) return
    this.#unchain(entry)
    this.#chain(entry)
  }

  #isOverfull(): boolean {
    return this.#entries.size > this.#maxEntries || (this.#weight !== undefined && this.#weighs > this.#weight.max)
  }

  #chain(entry: Entry<Key, Value>): void {
    entry.older = this.#newest
    if (this.#newest) this.#newest.newer = entry
    else this.#oldest = entry
    this.#newest = entry
  }

  #unchain(entry: Entry<Key, Value>): void {
    if (entry.older) entry.older.newer = entry.newer
    else this.#oldest = entry.newer
    if (entry.newer) entry.newer.older = entry.older
    else this.#newest = entry.older
    entry.older = undefined
    entry.newer = undefined
  }
}
