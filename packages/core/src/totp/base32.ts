const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
const BITS = 5

/** RFC 4648 base32 without padding, as authenticator apps expect it. */
export function base32(bytes: Uint8Array): string {
  let text = ''
  let held = 0
  let value = 0
  for (const byte of bytes) {
    value = (value << 8) | byte
    held += 8
    for (; held >= BITS; held -= BITS) text += ALPHABET[(value >>> (held - BITS)) & 31]
    value &= (1 << held) - 1
  }
  return held > 0 ? text + ALPHABET[(value << (BITS - held)) & 31] : text
}
