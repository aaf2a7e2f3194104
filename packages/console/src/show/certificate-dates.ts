/** When a certificate is valid. */
export interface CertificateDates {
  readonly notBefore: Date
  readonly notAfter: Date
}

const SEQUENCE = 0x30
const UTC_TIME = 0x17
const GENERALIZED_TIME = 0x18
const VERSION = 0xa0

/** The dates of the first certificate in a PEM text; undefined when it cannot be read. */
export function readCertificateDates(pem: string): CertificateDates | undefined {
  const [, base64] = /-----BEGIN CERTIFICATE-----([^-]+)-----END/.exec(pem) ?? []
  if (base64 === undefined) return undefined
  try {
    const bytes = Uint8Array.from(atob(base64.replace(/\s/g, '')), (character) => character.charCodeAt(0))
    return readDates(bytes)
  } catch {
    return undefined
  }
}

/** RFC 5280, 4.1: the certificate contains the part to be signed, and that a version, serial number, algorithm, issuer, then the dates. */
function readDates(bytes: Uint8Array): CertificateDates | undefined {
  const [certificate] = valuesIn(bytes)
  const [signedPart] = valuesIn(certificate?.content)
  const members = valuesIn(signedPart?.content)
  const validity = members[members[0]?.tag === VERSION ? 4 : 3]
  if (validity?.tag !== SEQUENCE) return undefined
  const [notBefore, notAfter] = valuesIn(validity.content).map(readTime)
  return notBefore && notAfter && { notBefore, notAfter }
}

interface DerValue {
  readonly tag: number
  readonly content: Uint8Array
}

function valuesIn(bytes: Uint8Array = new Uint8Array()): DerValue[] {
  const values: DerValue[] = []
  for (let at = 0; at < bytes.length; ) {
    const tag = bytes[at] ?? 0
    const first = bytes[at + 1] ?? 0
    const lengthBytes = first < 0x80 ? 0 : first & 0x7f
    const start = at + 2 + lengthBytes
    const length = lengthBytes === 0 ? first : bytes.subarray(at + 2, start).reduce((sum, byte) => sum * 256 + byte, 0)
    values.push({ tag, content: bytes.subarray(start, start + length) })
    at = start + length
  }
  return values
}

function readTime({ tag, content }: DerValue): Date | undefined {
  if (tag !== UTC_TIME && tag !== GENERALIZED_TIME) return undefined
  const text = new TextDecoder().decode(content)
  // Years of two digits from 50 on are of the last century.
  const long = tag === UTC_TIME ? `${Number(text.slice(0, 2)) >= 50 ? '19' : '20'}${text}` : text
  const [, year, month, day, hour, minute, second] = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/.exec(long) ?? []
  return year === undefined ? undefined : new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
}
