/** Mulberry32: the same numbers from 0 to 1 for the same seed. */
export function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Random choices of one simulation. */
export class Random {
  readonly #next: () => number

  constructor(seed: number) {
    this.#next = createRandom(seed)
  }

  between(from: number, to: number): number {
    return from + this.#next() * (to - from)
  }

  isTrue(probability: number): boolean {
    return this.#next() < probability
  }

  /** Undefined for an empty list. */
  find<T>(items: readonly T[]): T | undefined {
    return items[Math.floor(this.#next() * items.length)]
  }

  pick<T>(items: readonly [T, ...T[]]): T {
    return this.find(items) as T
  }

  /** An item of a list, the more often the more it weighs. */
  weighted<T extends { readonly weight: number }>(items: readonly T[]): T {
    let rest = this.#next() * items.reduce((sum, { weight }) => sum + weight, 0)
    for (const item of items) {
      rest -= item.weight
      if (rest < 0) return item
    }
    return items.at(-1) as T
  }
}
