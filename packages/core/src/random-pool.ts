import { randomFillSync } from 'node:crypto'

/** Randomness is fetched for many at once: one fetch costs as much as a hundred ids. */
const pool = Buffer.alloc(4096)
let used = pool.length

/** So many random bytes, at most 4096, that nobody else is given. Whoever makes a secret of them wipes them out. */
export function takeRandomBytes(count: number): Buffer {
  if (used + count > pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += count
  return pool.subarray(used - count, used)
}
