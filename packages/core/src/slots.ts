/**
 * A collection whose items have reusable slot numbers. For items that are added and removed thousands of times a second. A `Map` or `Set` keeps
 * its outgrown tables linked, with their entries: once one of them is in the old generation, all later entries stay until a full garbage
 * collection.
 */
export class Slots<Item> {
  readonly #items: (Item | undefined)[] = []
  readonly #free: number[] = []

  get size(): number {
    return this.#items.length - this.#free.length
  }

  /** Returns the item's slot. */
  add(item: Item): number {
    const slot = this.#free.pop() ?? this.#items.length
    this.#items[slot] = item
    return slot
  }

  /** Removes and returns the item; undefined when the slot is free. */
  take(slot: number): Item | undefined {
    const item = this.#items[slot]
    if (item === undefined) return undefined
    this.#items[slot] = undefined
    this.#free.push(slot)
    return item
  }

  /** Removes and returns all items that match. */
  takeAll(matches: (item: Item) => boolean = () => true): Item[] {
    const taken: Item[] = []
    for (const [slot, item] of this.#items.entries()) {
      if (item === undefined || !matches(item)) continue
      this.take(slot)
      taken.push(item)
    }
    return taken
  }
}
