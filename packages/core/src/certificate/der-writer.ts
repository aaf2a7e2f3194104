import { TAG } from './der-reader.ts'

/** Each function of this file encodes one DER element. Only for trusted values; throws TypeError for invalid ones. */
export function element(tag: number, ...content: readonly Uint8Array[]): Buffer {
  let length = 0
  for (const part of content) length += part.length
  const more = lengthOctets(length)
  const written = Buffer.allocUnsafe(2 + more + length)
  written[0] = tag
  if (more === 0) written[1] = length
  else {
    written[1] = 0x80 + more
    written.writeUIntBE(length, 2, more)
  }
  let at = 2 + more
  for (const part of content) {
    written.set(part, at)
    at += part.length
  }
  return written
}

export const sequence = (...content: readonly Uint8Array[]): Buffer => element(TAG.sequence, ...content)

export const setOf = (...content: readonly Uint8Array[]): Buffer =>
  element(TAG.set, ...content.toSorted(Buffer.compare))

export const boolean = (value: boolean): Buffer => element(TAG.boolean, Buffer.from([value ? 0xff : 0x00]))

export const nullValue = (): Buffer => element(TAG.null)

export const octetString = (content: Uint8Array): Buffer => element(TAG.octetString, content)

/** A bit string of whole octets. */
export const bitString = (content: Uint8Array): Buffer => element(TAG.bitString, Buffer.from([0]), content)

export const utf8String = (text: string): Buffer => element(TAG.utf8String, Buffer.from(text, 'utf8'))

export const printableString = (text: string): Buffer => element(TAG.printableString, Buffer.from(text, 'ascii'))

/** `[n]` around whole elements. */
export const explicitTag = (n: number, ...content: readonly Uint8Array[]): Buffer => element(0xa0 + n, ...content)

/** `[n]` in place of the tag of a primitive. */
export const implicitTag = (n: number, content: Uint8Array): Buffer => element(0x80 + n, content)

/** A non-negative integer, given as big-endian octets or as a number. */
export function integer(value: number | Uint8Array): Buffer {
  const octets = typeof value === 'number' ? numberOctets(value) : value
  const firstUsed = octets.findIndex((byte) => byte !== 0)
  const minimal = firstUsed < 0 ? Buffer.from([0]) : octets.subarray(firstUsed)
  const isNegativeLooking = (minimal[0] ?? 0) >= 0x80
  return element(TAG.integer, isNegativeLooking ? Buffer.from([0]) : Buffer.alloc(0), minimal)
}

/** A bit string with these bits set. Bit 0 is the highest bit of the first octet. Trailing zeros are omitted, as DER requires. */
export function namedBits(bits: readonly number[]): Buffer {
  const highest = Math.max(-1, ...bits)
  const octets = Buffer.alloc(Math.ceil((highest + 1) / 8))
  for (const bit of bits) octets[bit >> 3] = (octets[bit >> 3] ?? 0) | (0x80 >> (bit & 7))
  return element(TAG.bitString, Buffer.from([octets.length * 8 - (highest + 1)]), octets)
}

export function oid(dotted: string): Buffer {
  const known = oids.get(dotted)
  if (known) return known
  const written = writeOid(dotted)
  oids.set(dotted, written)
  return written
}

/** Cached without limit: only constants are encoded, never an identifier from a caller. */
const oids = new Map<string, Buffer>()

function writeOid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  return element(TAG.oid, Buffer.from([first * 40 + second, ...rest].flatMap(arcOctets)))
}

/** UTCTime until 2049 and GeneralizedTime after, as RFC 5280 section 4.1.2.5 requires. Fractions of a second are dropped. */
export function time(date: Date): Buffer {
  const digits = date.toISOString().slice(0, 19).replaceAll(/[-:T]/g, '')
  const year = date.getUTCFullYear()
  if (year < 1950 || year > 9999) throw new TypeError('the date does not fit into a certificate')
  return year < 2050
    ? element(TAG.utcTime, Buffer.from(`${digits.slice(2)}Z`))
    : element(TAG.generalizedTime, Buffer.from(`${digits}Z`))
}

/** The number of length octets after the first one. */
function lengthOctets(length: number): number {
  if (length < 0x80) return 0
  return length < 0x100 ? 1 : length < 0x10000 ? 2 : length < 0x1000000 ? 3 : 4
}

function numberOctets(value: number): Buffer {
  if (!Number.isSafeInteger(value) || value < 0) throw new TypeError('only a non-negative integer can be encoded')
  const hex = value.toString(16)
  return Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex')
}

function arcOctets(arc: number): number[] {
  const octets = [arc % 128]
  for (let rest = Math.floor(arc / 128); rest > 0; rest = Math.floor(rest / 128)) octets.unshift((rest % 128) + 128)
  return octets
}
