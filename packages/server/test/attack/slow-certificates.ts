import { checkPrimeSync, type KeyObject, randomBytes } from 'node:crypto'
import { buildName, buildTbsCertificate, createSerial, der, formatPem, joinCertificate } from '@countersign/core'
import { makeTestCertificate } from '@countersign/testkit'

const EC_KEY = '1.2.840.10045.2.1'
const PRIME_FIELD = '1.2.840.10045.1.1'
const RSA_KEY = '1.2.840.113549.1.1.1'
const SHA256_RSA = '1.2.840.113549.1.1.11'
/** The largest modulus with which OpenSSL accepts a public exponent of the same size. */
const RSA_BYTES = 384

/** The options of a TLS client or server with a chain of this many certificates of 1.3 KB, each of which takes OpenSSL about 9 ms to check. */
export function makeSlowChain(length: number): { cert: string; key: string } {
  const leaf = makeTestCertificate({ kind: 'ec256' })
  const slowKey = makeSlowKey()
  const certificates = Array.from({ length }, (_, at) =>
    makeUncheckedCertificate(at, at === 0 ? leaf.publicKey.export({ format: 'der', type: 'spki' }) : slowKey),
  )
  return { cert: certificates.join('\n'), key: pemOf(leaf.privateKey) }
}

/** The same with certificates of 0.7 KB, each of which takes OpenSSL half a second to parse: their curve is one on which square roots are slow. */
export function makeSlowCurves(length: number): { cert: string; key: string } {
  const leaf = makeTestCertificate({ kind: 'ec256' })
  const slow = makeUncheckedCertificate(1, makeSlowPoint())
  return { cert: [leaf.pem, ...Array.from({ length }, () => slow)].join('\n'), key: pemOf(leaf.privateKey) }
}

export function pemOf(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }) as string
}

function makeUncheckedCertificate(at: number, publicKeyInfo: Buffer): string {
  const signatureAlgorithm = der.sequence(der.oid(SHA256_RSA), der.nullValue())
  const signature = randomBytes(RSA_BYTES)
  signature[0] = 0x10
  const tbs = buildTbsCertificate({
    serial: createSerial(),
    signatureAlgorithm,
    issuer: buildName({ commonName: `link ${at + 1}` }),
    subject: buildName({ commonName: `link ${at}` }),
    notBefore: new Date('2020-01-01T00:00:00Z'),
    notAfter: new Date('2040-01-01T00:00:00Z'),
    publicKeyInfo,
    extensions: [],
  })
  return formatPem('CERTIFICATE', joinCertificate(tbs, signatureAlgorithm, signature))
}

/** A public key that belongs to no private key. */
function makeSlowKey(): Buffer {
  const [modulus, exponent] = [randomBytes(RSA_BYTES), randomBytes(RSA_BYTES)]
  for (const [first, number] of [
    [0xff, modulus],
    [0xfe, exponent],
  ] as const) {
    number[0] = first
    number[RSA_BYTES - 1] = 1
  }
  const rsa = der.sequence(withHead(0x02, modulus), withHead(0x02, exponent))
  return der.sequence(der.sequence(der.oid(RSA_KEY), der.nullValue()), withHead(0x03, rsa))
}

/** A DER integer or bit string: both begin with a zero byte here. */
function withHead(tag: number, content: Buffer): Buffer {
  const length = content.length + 1
  return Buffer.concat([Buffer.from([tag, 0x82, length >> 8, length & 255, 0]), content])
}

/** A key with a curve of its own, y² = x³ + b modulo p, and a compressed point on it. The square root takes e²/2 steps, where 2^e divides p - 1. */
function makeSlowPoint(): Buffer {
  let factor = (1n << 20n) + 1n
  while (!checkPrimeSync((factor << 640n) + 1n)) factor += 2n
  const p = (factor << 640n) + 1n
  let y = 2n
  while (power(y, (p - 1n) / 2n, p) === 1n) y++
  const size = Math.ceil(p.toString(2).length / 8)
  const number = (value: bigint): Buffer => Buffer.from(value.toString(16).padStart(2 * size, '0'), 'hex')
  const octets = (value: Buffer): Buffer => der.element(0x04, value)
  const point = Buffer.concat([Buffer.from([2 + Number(y & 1n)]), number(1n)])
  const prime = Buffer.from(p.toString(16).padStart(2 * size, '0'), 'hex')
  const curve = der.sequence(octets(number(0n)), octets(number((y * y - 1n + p) % p)))
  const field = der.sequence(der.oid(PRIME_FIELD), der.integer(prime))
  const order = der.integer(number(p - 2n))
  const parameters = der.sequence(der.integer(1), field, curve, octets(point), order, der.integer(1))
  return der.sequence(der.sequence(der.oid(EC_KEY), parameters), der.bitString(point))
}

function power(base: bigint, exponent: bigint, modulus: bigint): bigint {
  let result = 1n
  for (let [square, rest] = [base, exponent]; rest > 0n; rest >>= 1n, square = (square * square) % modulus) {
    if (rest & 1n) result = (result * square) % modulus
  }
  return result
}
