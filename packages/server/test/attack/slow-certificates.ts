import { type KeyObject, randomBytes } from 'node:crypto'
import { buildName, buildTbsCertificate, createSerial, der, formatPem, joinCertificate } from '@countersign/core'
import { makeTestCertificate } from '@countersign/testkit'

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
