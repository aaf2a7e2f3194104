import { X509Certificate } from 'node:crypto'

interface Element {
  readonly tag: number
  readonly content: Buffer
  readonly whole: Buffer
}

/** Reads the certificates of an EST `cacerts` response (RFC 7030): a certs-only PKCS #7. */
export function readCaCertificates(base64: string): X509Certificate[] {
  const outer = readElements(Buffer.from(base64, 'base64'))[0]
  const signedData = outer && readElements(outer.content)[1]
  const body = signedData && readElements(signedData.content)[0]
  const certificates = body && readElements(body.content).find(({ tag }) => tag === 0xa0)
  return certificates ? readElements(certificates.content).map(({ whole }) => new X509Certificate(whole)) : []
}

/** Splits consecutive DER elements. Throws when a length exceeds the input. */
function readElements(bytes: Buffer): Element[] {
  const elements: Element[] = []
  for (let at = 0; at < bytes.length; ) {
    const start = at
    const tag = bytes.readUInt8(at)
    let length = bytes.readUInt8(at + 1)
    at += 2
    if (length > 0x80) {
      const size = length - 0x80
      length = bytes.readUIntBE(at, size)
      at += size
    }
    if (at + length > bytes.length) throw new RangeError('a DER element exceeds its parent')
    elements.push({ tag, content: bytes.subarray(at, at + length), whole: bytes.subarray(start, at + length) })
    at += length
  }
  return elements
}
