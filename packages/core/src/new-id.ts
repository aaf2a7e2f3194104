import { takeRandomBytes } from './random-pool.ts'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const LENGTH = 22
/** Bytes from here on would favour the first letters of the alphabet. */
const UNBIASED = 256 - (256 % ALPHABET.length)

/** A random id of 22 letters and digits: about 131 bits. */
export function newId(): string {
  return randomLetters(LENGTH)
}

/** Enough letters for the milliseconds of the next thousands of years. */
const TIME_LENGTH = 8

/**
 * An id like the others that begins with its time, for what is made and deleted by the thousand: such ids stand side by side in an index, so that
 * one page of it is written for all of a moment and not one for each. About 83 bits of it are random.
 */
export function newIdInOrder(now: number): string {
  let time = ''
  for (let rest = now; time.length < TIME_LENGTH; rest = Math.floor(rest / ALPHABET.length)) {
    time = `${ALPHABET[rest % ALPHABET.length]}${time}`
  }
  return time + randomLetters(LENGTH - TIME_LENGTH)
}

function randomLetters(count: number): string {
  let letters = ''
  while (letters.length < count) {
    for (const byte of takeRandomBytes(count - letters.length)) {
      if (byte < UNBIASED) letters += ALPHABET[byte % ALPHABET.length]
    }
  }
  return letters
}
