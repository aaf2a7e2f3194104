/** Pseudo-random numbers, determined by a seed. */
export interface Random {
  /** Returns an integer from 0 (inclusive) to `limit` (exclusive). */
  below(limit: number): number
  pick<T>(list: readonly T[]): T
  /** Returns true with probability 1 / `times`. */
  onceIn(times: number): boolean
}

/** Mulberry32: fast, 32 bits of state, not for cryptography. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
  const below = (limit: number): number => Math.floor((next() / 0x1_0000_0000) * limit)
  return {
    below,
    pick: (list) => {
      if (list.length === 0) throw new TypeError('cannot pick from an empty list')
      return list[below(list.length)] as (typeof list)[number]
    },
    onceIn: (times) => below(times) === 0,
  }
}
