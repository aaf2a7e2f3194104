/** How much of a digest counts. */
export const DIGEST_BYTES = 15
/** A digest and a byte that says which list it came from, as badkeys has them. */
const RECORD_BYTES = 16

const MIN_DIGITS = DIGEST_BYTES * 2
const MAX_DIGITS = 64
const HEX = /^[0-9a-fA-F]+$/

/** Keys that are refused whoever brings them. */
export interface RefusedKeys {
  readonly size: number
  /** Asked with a `keyDigest`. */
  has(digest: Buffer): boolean
}

/**
 * Reads a list of digests as text: one a line, 30 to 64 hexadecimal digits of which the first 30 count, blank lines and lines that begin
 * with `#` aside. Throws an Error that names the first line that is none.
 */
export function readRefusedKeyLines(text: string): RefusedKeys {
  const digests: Buffer[] = []
  for (const [index, raw] of text.split('\n').entries()) {
    const line = raw.trim()
    if (line === '' || line.startsWith('#')) continue
    if (line.length < MIN_DIGITS || line.length > MAX_DIGITS || !HEX.test(line)) {
      throw new Error(`line ${index + 1} is no digest of ${MIN_DIGITS} to ${MAX_DIGITS} hexadecimal digits`)
    }
    digests.push(Buffer.from(`${line.slice(0, MIN_DIGITS)}00`, 'hex'))
  }
  return searchRecords(Buffer.concat(digests.sort(Buffer.compare)))
}

/** Reads a `blocklist.dat` of badkeys: records of 16 bytes, sorted. Throws an Error for what is none. */
export function readKeyBlocklist(bytes: Buffer): RefusedKeys {
  if (bytes.length === 0 || bytes.length % RECORD_BYTES !== 0) throw new Error('its size is no multiple of 16 bytes')
  for (let at = RECORD_BYTES; at < bytes.length; at += RECORD_BYTES) {
    if (bytes.compare(bytes, at, at + RECORD_BYTES, at - RECORD_BYTES, at) > 0) throw new Error('it is not sorted')
  }
  return searchRecords(bytes)
}

/** A binary search over the file as it is: millions of keys cost their bytes and nothing else. */
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
