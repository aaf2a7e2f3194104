import { createDerCursor, readOid } from './der-cursor.ts'
import { DerError, type DerNode, readDer, TAG } from './der-reader.ts'
import { OID } from './object-identifiers.ts'
import type { ParsedCertificate } from './parse-certificate.ts'

type Extended = Pick<ParsedCertificate, 'extensions'>

/** The basic constraints (RFC 5280 section 4.2.1.9). `pathLength` is the number of further CAs below; undefined for any number. */
export interface BasicConstraints {
  readonly isCa: boolean
  readonly pathLength: number | undefined
}

/** The extensions that checks of ours evaluate, or that constrain nothing we decide. Another critical one must not be ignored. */
const UNDERSTOOD: ReadonlySet<string> = new Set([
  OID.basicConstraints,
  OID.keyUsage,
  OID.extendedKeyUsage,
  OID.subjectAltName,
  OID.subjectKeyIdentifier,
  OID.authorityKeyIdentifier,
  OID.certificatePolicies,
])

/**
 * Whether the certificate has an extension that restricts its use in a way that is not evaluated: an unknown critical one, or name constraints,
 * which some CAs do not mark as critical although they mean them.
 */
export function hasUnsupportedExtension({ extensions }: Extended): boolean {
  return [...extensions].some(([id, { critical }]) => id === OID.nameConstraints || (critical && !UNDERSTOOD.has(id)))
}

/** Throws DerError when the extension is malformed. */
export function readBasicConstraints({ extensions }: Extended): BasicConstraints {
  const extension = extensions.get(OID.basicConstraints)
  if (!extension) return { isCa: false, pathLength: undefined }
  const cursor = createDerCursor(readList(extension.value, 'the basic constraint'))
  const isCa = cursor.takeOptional(TAG.boolean)?.content[0] === 0xff
  const length = cursor.takeOptional(TAG.integer)?.content
  cursor.end()
  if (!length) return { isCa, pathLength: undefined }
  const [first = 0] = length
  if (first >= 0x80) throw new DerError('the path length is negative')
  // A longer number allows more CAs than any chain has.
  return { isCa, pathLength: length.length > 1 ? undefined : first }
}

const KEY_IDENTIFIER_TAG = 0x80

/** Uses of a key, as bits of the first octet of the key usage (RFC 5280 section 4.2.1.3). */
const KEY_USAGES = { digitalSignature: 0x80, keyCertSign: 0x04 }

/** Whether the key may be used so: a certificate without the extension does not restrict its key. Throws DerError. */
export function allowsKeyUsage({ extensions }: Extended, usage: keyof typeof KEY_USAGES): boolean {
  const extension = extensions.get(OID.keyUsage)
  if (!extension) return true
  const bits = readDer(extension.value)
  if (bits.tag !== TAG.bitString) throw new DerError('the key usage is not a bit string')
  return ((bits.content[1] ?? 0) & KEY_USAGES[usage]) !== 0
}

/** The key identifier of the issuer, in hex; undefined when the certificate has none. Throws DerError. */
export function readIssuerKeyId({ extensions }: Extended): string | undefined {
  const extension = extensions.get(OID.authorityKeyIdentifier)
  if (!extension) return undefined
  const [keyId] = readList(extension.value, 'the authority key identifier').children
  return keyId?.tag === KEY_IDENTIFIER_TAG ? keyId.content.toString('hex') : undefined
}

/** The extended key usages; undefined when the certificate does not restrict them. Throws DerError. */
export function readExtendedKeyUsages({ extensions }: Extended): readonly string[] | undefined {
  const extension = extensions.get(OID.extendedKeyUsage)
  if (!extension) return undefined
  return createDerCursor(readList(extension.value, 'the extended key usage')).takeRest(TAG.oid).map(readOid)
}

/** Whether the extended key usages, if any, include client authentication. Throws DerError. */
export function allowsClientAuth(certificate: Extended): boolean {
  const usages = readExtendedKeyUsages(certificate)
  return !usages || usages.some((usage) => usage === OID.clientAuth || usage === OID.anyExtendedKeyUsage)
}

export type TextAltName = 'email' | 'uri'

const ALT_NAME_TAGS: Readonly<Record<TextAltName, number>> = { email: 0x81, uri: 0x86 }

/** The subject alternative names of a type, in order. Throws DerError, also when one is not ASCII. */
export function readAltNames({ extensions }: Extended, type: TextAltName): string[] {
  const extension = extensions.get(OID.subjectAltName)
  if (!extension) return []
  const names = readList(extension.value, 'the alternative name').children
  return names.filter(({ tag }) => tag === ALT_NAME_TAGS[type]).map(({ content }) => readAscii(content))
}

function readAscii(content: Buffer): string {
  if (content.some((byte) => byte >= 0x80)) throw new DerError('an alternative name is not ASCII')
  return content.toString('latin1')
}

function readList(value: Buffer, what: string): DerNode {
  const list = readDer(value)
  if (list.tag !== TAG.sequence) throw new DerError(`${what} is not a sequence`)
  return list
}
