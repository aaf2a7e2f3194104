const INTEGER = 0x02
const SEQUENCE = 0x30
const LONG_LENGTH = 0x81
const MAX_SHORT_LENGTH = 127

/**
 * Converts an ECDSA signature from the JWS encoding, r || s (RFC 7518 section 3.4), to DER. The `dsaEncoding` option of `crypto.verify` does the
 * same on the calling thread, but costs several times as much as the rest of the call.
 */
export function ecdsaSignatureToDer(signature: Buffer): Buffer {
  const half = signature.length / 2
  const body = Buffer.concat([derInteger(signature.subarray(0, half)), derInteger(signature.subarray(half))])
  const head = body.length > MAX_SHORT_LENGTH ? [SEQUENCE, LONG_LENGTH, body.length] : [SEQUENCE, body.length]
  return Buffer.concat([Buffer.from(head), body])
}

/** An unsigned number without leading zero bytes, except the one that keeps it from being negative. */
function derInteger(number: Buffer): Buffer {
  let start = 0
  while (start < number.length - 1 && number[start] === 0) start += 1
  const bytes = number.subarray(start)
  const sign = (bytes[0] ?? 0) >= 0x80 ? [0] : []
  return Buffer.concat([Buffer.from([INTEGER, sign.length + bytes.length, ...sign]), bytes])
}
