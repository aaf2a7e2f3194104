import { randomFillSync } from 'node:crypto'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const LENGTH = 22
/** Bytes from here on would favour the first letters of the alphabet. */
const UNBIASED = 256 - (256 % ALPHABET.length)

/** Randomness is fetched for many ids at once: one fetch costs as much as a hundred ids. */
const pool = Buffer.alloc(4096)
let used = pool.length

/** A random id of 22 letters and digits: about 131 bits. */
export function newId(): string {
  let id = ''
  while (id.length < LENGTH) {
    if (used === pool.length) {
      randomFillSync(pool)
      used = 0
    }
    const byte = pool[used++] ?? UNBIASED
    if (byte < UNBIASED) id += ALPHABET[byte % ALPHABET.length]
  }
  return id
}
