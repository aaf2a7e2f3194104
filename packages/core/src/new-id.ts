import { takeRandomBytes } from './random-pool.ts'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const LETTERS = Buffer.from(ALPHABET)
const LENGTH = 22
/** Bytes from here on would favour the first letters of the alphabet. */
const UNBIASED = 256 - (256 % ALPHABET.length)

/** A random id of 22 letters and digits: about 131 bits. */
export function newId(): string {
  return randomLetters(LENGTH)
}

/** Enough letters for the milliseconds of the next thousands of years. */
export const TIME_LENGTH = 8

/**
 * An id like the others that begins with its time, for what is stored: such ids stand side by side in an index, so that one page of it is
 * written for all of a moment and not one for each. About 83 bits of it are random.
 */
export function newIdInOrder(now: number): string {
  return timeLetters(now) + randomLetters(LENGTH - TIME_LENGTH)
}

/** An instant in letters and digits that sort as it does. */
export function timeLetters(now: number): string {
  if (now === lastTime.now) return lastTime.letters
  let letters = ''
  for (let rest = now; letters.length < TIME_LENGTH; rest = Math.floor(rest / ALPHABET.length)) {
    letters = `${ALPHABET[rest % ALPHABET.length]}${letters}`
  }
  lastTime = { now, letters }
  return letters
}

let lastTime = { now: Number.NaN, letters: '' }

/** Letters are drawn for many ids at once, and cut off in one piece: a string that grows by letters stays a chain of them until somebody reads it. */
const drawn = Buffer.alloc(2048)
let left = 0

function randomLetters(count: number): string {
  if (left < count) left = draw()
  left -= count
  return drawn.toString('latin1', left, left + count)
}

/** Answers how many there are now. */
function draw(): number {
  let filled = 0
  for (const byte of takeRandomBytes(drawn.length))
    if (byte < UNBIASED) drawn[filled++] = LETTERS[byte % LETTERS.length] ?? 0
  return filled
}
