import { TAG } from './der-reader.ts'

/** The bytes of an element without its identifier and length. */
interface Element {
  readonly tag: number
  readonly content: Buffer
  /** The bytes after the element. */
  readonly rest: Buffer
}

/** How the bytes of a public key must look; `parameters` are those of its algorithm. */
type KeyRule = (parameters: Element | undefined, key: Buffer) => boolean

const EXPLICIT_VERSION = 0xa0
/** The tag goes on in the next bytes. OpenSSL reads one with a small number as the short form. */
const LONG_TAG = 0x1f
const UNCOMPRESSED = 4
const COMPRESSED: ReadonlySet<number | undefined> = new Set([2, 3])
const ANY_KEY: KeyRule = () => true

/** The curves whose points are decompressed by one power: P-256, P-384, P-521. */
const QUICK_ROOTS: ReadonlySet<string> = new Set(['2a8648ce3d030107', '2b81040022', '2b81040023'])

/** Keys by the object identifier of their algorithm. Others are used by no TLS client or server of today. */
const RULES: ReadonlyMap<string, KeyRule> = new Map([
  ['2a864886f70d010101', ANY_KEY], // RSA
  ['2a864886f70d01010a', ANY_KEY], // RSA-PSS
  ['2b6570', ANY_KEY], // Ed25519
  ['2b6571', ANY_KEY], // Ed448
  ['608648016503040311', ANY_KEY], // ML-DSA-44
  ['608648016503040312', ANY_KEY], // ML-DSA-65
  ['608648016503040313', ANY_KEY], // ML-DSA-87
  ['2a8648ce3d0201', isQuickPoint], // EC
])

/**
 * Whether OpenSSL parses the certificate in a time that its size bounds. It decodes the public key at once: an EC key with parameters of its own, or
 * a compressed point on some curves, makes it take square roots modulo a prime that the sender chose, which takes half a second for 700 bytes.
 */
export function isQuickToParse(certificate: Buffer): boolean {
  const key = readKeyInfo(certificate)
  const algorithm = key && readElement(key)
  const bits = algorithm && readElement(algorithm.rest)
  const id = algorithm && readElement(algorithm.content)
  if (algorithm?.tag !== TAG.sequence || id?.tag !== TAG.oid || bits?.tag !== TAG.bitString) return false
  const rule = RULES.get(id.content.toString('hex'))
  return rule?.(readElement(id.rest), bits.content.subarray(1)) ?? false
}

/** The serial number, the algorithm, the issuer, the validity, the subject, the key (RFC 5280 section 4.1). */
const TBS_TAGS = [TAG.integer, TAG.sequence, TAG.sequence, TAG.sequence, TAG.sequence, TAG.sequence]

/** The content of SubjectPublicKeyInfo. */
function readKeyInfo(certificate: Buffer): Buffer | undefined {
  const outer = readElement(certificate)
  const tbs = outer?.tag === TAG.sequence ? readElement(outer.content) : undefined
  let element = tbs?.tag === TAG.sequence ? readElement(tbs.content) : undefined
  if (element?.tag === EXPLICIT_VERSION) element = readElement(element.rest)
  for (const [at, tag] of TBS_TAGS.entries()) {
    if (at > 0) element = element && readElement(element.rest)
    if (element?.tag !== tag) return undefined
  }
  return element?.content
}

function isQuickPoint(parameters: Element | undefined, point: Buffer): boolean {
  if (parameters?.tag !== TAG.oid) return false
  return point[0] === UNCOMPRESSED || (COMPRESSED.has(point[0]) && QUICK_ROOTS.has(parameters.content.toString('hex')))
}

/** Reads also what is not DER, as OpenSSL does, but no long tags and no indefinite lengths. Undefined for anything else. */
function readElement(bytes: Buffer): Element | undefined {
  const [tag, first] = bytes
  if (tag === undefined || first === undefined || (tag & LONG_TAG) === LONG_TAG) return undefined
  const octets = first < 0x80 ? 0 : first - 0x80
  if (first === 0x80 || octets > 4 || bytes.length < 2 + octets) return undefined
  const start = 2 + octets
  const length = octets === 0 ? first : bytes.readUIntBE(2, octets)
  if (start + length > bytes.length) return undefined
  return { tag, content: bytes.subarray(start, start + length), rest: bytes.subarray(start + length) }
}
