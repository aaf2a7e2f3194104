const LINEAR_BYTES = 20 * 1024

/**
 * What certificates of this size can cost OpenSSL in a TLS handshake at worst, as a number of bytes that take 6.7 µs each. Signatures cost that much. Name
 * constraints are compared with every name in the chain, so the cost of a long chain grows with the square of its size: 100 KiB take 3.4 s.
 */
export function handshakeCharge(bytes: number): number {
  return Math.ceil(bytes * Math.max(1, bytes / LINEAR_BYTES))
}
