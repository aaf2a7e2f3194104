/**
 * Things that come and go, each with a number while it is here; numbers are used again. For what goes by the thousand each second: the
 * tables that a `Map` or `Set` has outgrown hold on to what was in them and to the next table, so that once one of them has grown old,
 * all that has gone since stays until all memory is swept.
 */
export class Slots<Thing> {
  readonly #things: (Thing | undefined)[] = []
  readonly #free: number[] = []

  get size(): number {
    return this.#things.length - this.#free.length
  }

  /** Answers its number. */
  add(thing: Thing): number {
    const slot = this.#free.pop() ?? this.#things.length
    this.#things[slot] = thing
    return slot
  }

  /** Takes it out; undefined when there is nothing of that number. */
  take(slot: number): Thing | undefined {
    const thing = this.#things[slot]
    if (thing === undefined) return undefined
    this.#things[slot] = undefined
    this.#free.push(slot)
    return thing
  }

  /** Takes out all that are like this. */
  takeAll(isWanted: (thing: Thing) => boolean = () => true): Thing[] {
    const taken: Thing[] = []
    for (const [slot, thing] of this.#things.entries()) {
      if (thing === undefined || !isWanted(thing)) continue
      this.take(slot)
      taken.push(thing)
    }
    return taken
  }
}
