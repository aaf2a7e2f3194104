/** Bytes of a digest that are compared. */
export const DIGEST_BYTES = 15
/** The record format of badkeys: a digest, and one byte for the list that it came from. */
const RECORD_BYTES = 16

const MIN_DIGITS = DIGEST_BYTES * 2
const MAX_DIGITS = 64
const HEX = /^[0-9a-fA-F]+$/

/** A set of keys that are always refused. */
export interface RefusedKeys {
  readonly size: number
  /** `digest` is a `keyDigest`. */
  has(digest: Buffer): boolean
}

/**
 * Parses a text list of digests: one per line, 30 to 64 hexadecimal digits, of which the first 30 are compared. Blank lines and lines that
 * begin with `#` are ignored. Throws an Error that names the first invalid line.
 */
export function readRefusedKeyLines(text: string): RefusedKeys {
  const digests: Buffer[] = []
  for (const [index, raw] of text.split('\n').entries()) {
    const line = raw.trim()
    if (line === '' || line.startsWith('#')) continue
    if (line.length < MIN_DIGITS || line.length > MAX_DIGITS || !HEX.test(line)) {
      throw new Error(`line ${index + 1} is not a digest of ${MIN_DIGITS} to ${MAX_DIGITS} hexadecimal digits`)
    }
    digests.push(Buffer.from(`${line.slice(0, MIN_DIGITS)}00`, 'hex'))
  }
  return searchRecords(Buffer.concat(digests.sort(Buffer.compare)))
}

/** Reads a `blocklist.dat` of badkeys: sorted records of 16 bytes. Throws an Error for any other content. */
export function readKeyBlocklist(bytes: Buffer): RefusedKeys {
  if (bytes.length === 0 || bytes.length % RECORD_BYTES !== 0) throw new Error('its size is not a multiple of 16 bytes')
  for (let at = RECORD_BYTES; at < bytes.length; at += RECORD_BYTES) {
    if (bytes.compare(bytes, at, at + RECORD_BYTES, at - RECORD_BYTES, at) > 0) throw new Error('it is not sorted')
  }
  return searchRecords(bytes)
}

/** Binary search in the file's own bytes, so that millions of keys need no further memory. */
function searchRecords(records: Buffer): RefusedKeys {
  const size = records.length / RECORD_BYTES
  return {
    size,
    has: (digest) => {
      let [low, high] = [0, size]
      while (low < high) {
        const middle = (low + high) >>> 1
        const at = middle * RECORD_BYTES
        const order = digest.compare(records, at, at + DIGEST_BYTES)
        if (order === 0) return true
        if (order > 0) low = middle + 1
        else high = middle
      }
      return false
    },
  }
}
