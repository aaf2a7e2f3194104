/** Numbers that look random and are the same for the same seed. */
export interface Random {
  /** A whole number from 0 up to, but not including, `limit`. */
  below(limit: number): number
  pick<T>(list: readonly T[]): T
  /** True once in `times`. */
  onceIn(times: number): boolean
}

/** SplitMix-like generator with 32 bits of state (Mulberry32): fast, and good enough to throw things at parsers. */
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
      if (list.length === 0) throw new TypeError('nothing to pick from')
      return list[below(list.length)] as (typeof list)[number]
    },
    onceIn: (times) => below(times) === 0,
  }
}
