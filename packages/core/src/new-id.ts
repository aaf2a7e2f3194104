import { takeRandomBytes } from './random-pool.ts'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const LETTERS = Buffer.from(ALPHABET)
const LENGTH = 22
/** Larger bytes are dropped: their remainder would favour the first letters of the alphabet. */
const UNBIASED = 256 - (256 % ALPHABET.length)

/** A random id of 22 letters and digits: about 131 bits. */
export function newId(): string {
  return randomLetters(LENGTH)
}

/** Enough characters for milliseconds of several thousand years. */
export const TIME_LENGTH = 8

/**
 * An id of the same form that begins with its time, for stored rows. Such ids are adjacent in an index, so that rows of the same moment share
 * an index page. About 83 bits are random.
 */
export function newSortableId(now: number): string {
  return encodeTime(now) + randomLetters(LENGTH - TIME_LENGTH)
}

/** A UUID (version 7) that begins with its time, for stored rows whose ids clients expect to be UUIDs. 74 bits are random. */
export function newSortableUuid(now: number): string {
  const random = takeRandomBytes(10)
  random.writeUInt8((random.readUInt8(0) & 0x0f) | 0x70, 0)
  random.writeUInt8((random.readUInt8(2) & 0x3f) | 0x80, 2)
  const hex = now.toString(16).padStart(12, '0') + random.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

/** Encodes an instant in letters and digits. The texts sort by time. */
export function encodeTime(now: number): string {
  if (now === lastTime.now) return lastTime.letters
  let letters = ''
  for (let rest = now; letters.length < TIME_LENGTH; rest = Math.floor(rest / ALPHABET.length)) {
    letters = `${ALPHABET[rest % ALPHABET.length]}${letters}`
  }
  lastTime = { now, letters }
  return letters
}

let lastTime = { now: Number.NaN, letters: '' }

/** Random letters for many ids. Each id is sliced in one piece: a string built letter by letter stays a chain of pieces until it is read. */
const letterPool = Buffer.alloc(2048)
let left = 0

function randomLetters(count: number): string {
  if (left < count) left = fillLetterPool()
  left -= count
  return letterPool.toString('latin1', left, left + count)
}

/** Returns the number of letters in the pool. */
function fillLetterPool(): number {
  let filled = 0
  for (const byte of takeRandomBytes(letterPool.length))
    if (byte < UNBIASED) letterPool[filled++] = LETTERS[byte % LETTERS.length] ?? 0
  return filled
}
