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

/** Converts a signature that `crypto.sign` has made from DER to the JWS encoding: two numbers of `bytes` bytes. */
export function ecdsaSignatureFromDer(der: Buffer, bytes: number): Buffer {
  const signature = Buffer.alloc(2 * bytes)
  const first = der[1] === LONG_LENGTH ? 3 : 2
  const second = first + 2 + (der[first + 1] ?? 0)
  for (const [index, at] of [first, second].entries()) {
    const number = der.subarray(at + 2, at + 2 + (der[at + 1] ?? 0))
    const significant = number.length > bytes ? number.subarray(number.length - bytes) : number
    significant.copy(signature, (index + 1) * bytes - significant.length)
  }
  return signature
}
