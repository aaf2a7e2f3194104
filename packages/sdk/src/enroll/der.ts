/** The DER types that a certificate request needs. */
const TAGS = {
  integer: 0x02,
  bitString: 0x03,
  oid: 0x06,
  utf8String: 0x0c,
  sequence: 0x30,
  set: 0x31,
  context0: 0xa0,
} as const

/** Encodes one value: tag, length, content. */
export function encodeDer(tag: keyof typeof TAGS, ...content: readonly Uint8Array[]): Uint8Array {
  const body = joinBytes(content)
  return joinBytes([Uint8Array.of(TAGS[tag], ...encodeLength(body.length)), body])
}

function encodeLength(length: number): number[] {
  if (length < 0x80) return [length]
  const bytes: number[] = []
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256)
  return [0x80 | bytes.length, ...bytes]
}

/** Encodes an unsigned integer: without leading zeros, except one that keeps it positive. */
export function encodeUnsigned(bytes: Uint8Array): Uint8Array {
  const start = bytes.findIndex((byte) => byte !== 0)
  const digits = start < 0 ? Uint8Array.of(0) : bytes.subarray(start)
  return encodeDer('integer', (digits[0] ?? 0) >= 0x80 ? joinBytes([Uint8Array.of(0), digits]) : digits)
}

export function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(parts.reduce((length, part) => length + part.length, 0))
  let at = 0
  for (const part of parts) {
    joined.set(part, at)
    at += part.length
  }
  return joined
}
