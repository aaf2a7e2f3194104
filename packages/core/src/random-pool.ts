import { randomFillSync } from 'node:crypto'

/** Filled for many callers at once: one `randomFillSync` costs as much as a hundred ids. */
const pool = Buffer.alloc(4096)
let used = pool.length

/** Returns `count` random bytes, at most 4096, that are never returned again. Zero them after deriving a secret: they are a view of the pool. */
export function takeRandomBytes(count: number): Buffer {
  if (used + count > pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += count
  return pool.subarray(used - count, used)
}
