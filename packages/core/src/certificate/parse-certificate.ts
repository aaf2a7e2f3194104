import { createDerCursor, getOnlyChild, readOctetsOfBitString, readOid, readTime } from './der-cursor.ts'
import { DerError, type DerNode, readDer, TAG } from './der-reader.ts'
import { type NameAttribute, readName } from './distinguished-name.ts'

export interface CertificateExtension {
  readonly critical: boolean
  readonly value: Buffer
}

/** The signed part of a certificate. Names and algorithms stay encoded, for exact comparison. */
export interface TbsCertificate {
  readonly version: number
  readonly serial: Buffer
  readonly signatureAlgorithm: DerNode
  readonly issuer: Buffer
  readonly subject: Buffer
  readonly subjectAttributes: readonly NameAttribute[]
  readonly notBefore: Date
  readonly notAfter: Date
  readonly publicKeyInfo: DerNode
  readonly extensions: ReadonlyMap<string, CertificateExtension>
}

export interface ParsedCertificate extends TbsCertificate {
  readonly der: Buffer
  readonly tbs: Buffer
  readonly signature: Buffer
}

/** Certificates of clients and CAs have one or two KiB, those with post-quantum keys a few more. */
export const MAX_CERTIFICATE_BYTES = 16_384

const EXPLICIT_VERSION = 0xa0
const ISSUER_UNIQUE_ID = 0x81
const SUBJECT_UNIQUE_ID = 0x82
const EXPLICIT_EXTENSIONS = 0xa3
const VERSION_3 = 3

/** Parses exactly one X.509 certificate in DER without verifying it. Throws DerError for anything else. */
export function parseCertificate(der: Buffer): ParsedCertificate {
  const outer = createDerCursor(getSequence(readDer(der)))
  const tbsNode = outer.take(TAG.sequence)
  const signatureAlgorithm = outer.take(TAG.sequence)
  const signature = readOctetsOfBitString(outer.take(TAG.bitString))
  outer.end()
  const tbs = readTbs(tbsNode)
  if (!tbs.signatureAlgorithm.bytes.equals(signatureAlgorithm.bytes)) {
    throw new DerError('the two signature algorithms differ')
  }
  return { ...tbs, der, tbs: tbsNode.bytes, signature }
}

/** Parses only the signed part of a certificate. Throws DerError. */
export function parseTbsCertificate(bytes: Buffer): TbsCertificate {
  return readTbs(getSequence(readDer(bytes)))
}

function readTbs(node: DerNode): TbsCertificate {
  const cursor = createDerCursor(node)
  const version = readVersion(cursor.takeOptional(EXPLICIT_VERSION))
  const serial = cursor.take(TAG.integer).content
  const signatureAlgorithm = cursor.take(TAG.sequence)
  const issuer = cursor.take(TAG.sequence)
  const validity = cursor.take(TAG.sequence)
  const subject = cursor.take(TAG.sequence)
  const publicKeyInfo = cursor.take(TAG.sequence)
  checkBits(cursor.takeOptional(ISSUER_UNIQUE_ID))
  checkBits(cursor.takeOptional(SUBJECT_UNIQUE_ID))
  const extensions = readExtensions(cursor.takeOptional(EXPLICIT_EXTENSIONS), version)
  cursor.end()
  const [notBefore, notAfter, ...others] = validity.children
  if (!notBefore || !notAfter || others.length > 0) throw new DerError('the validity is malformed')
  readName(issuer)
  return {
    version,
    serial,
    signatureAlgorithm,
    issuer: issuer.bytes,
    subject: subject.bytes,
    subjectAttributes: readName(subject),
    notBefore: readTime(notBefore),
    notAfter: readTime(notAfter),
    publicKeyInfo,
    extensions,
  }
}

/** The unique ids of RFC 5280 section 4.1.2.8 are implicitly tagged bit strings: the first octet is the number of unused bits. */
function checkBits(node: DerNode | undefined): void {
  if (!node) return
  const [unusedBits = 8] = node.content
  if (unusedBits > 7 || (unusedBits > 0 && node.content.length === 1))
    throw new DerError('a unique id is badly encoded')
}

function readVersion(node: DerNode | undefined): number {
  if (!node) return 1
  const version = getOnlyChild(node, TAG.integer).content
  const number = (version[0] ?? 0) + 1
  if (version.length !== 1 || number < 2 || number > VERSION_3) throw new DerError('the version is unknown')
  return number
}

function readExtensions(node: DerNode | undefined, version: number): Map<string, CertificateExtension> {
  if (!node) return new Map()
  if (version !== VERSION_3) throw new DerError('only version 3 has extensions')
  return readExtensionList(getOnlyChild(node, TAG.sequence))
}

/** The extensions of a certificate or a certificate request by object identifier. Throws DerError, also for duplicates. */
export function readExtensionList(node: DerNode): Map<string, CertificateExtension> {
  const extensions = new Map<string, CertificateExtension>()
  for (const extension of createDerCursor(node).takeRest(TAG.sequence)) {
    const cursor = createDerCursor(extension)
    const id = readOid(cursor.take(TAG.oid))
    const critical = cursor.takeOptional(TAG.boolean)?.content[0] === 0xff
    const value = cursor.take(TAG.octetString).content
    cursor.end()
    if (extensions.has(id)) throw new DerError('an extension appears twice')
    extensions.set(id, { critical, value })
  }
  return extensions
}

function getSequence(node: DerNode): DerNode {
  if (node.tag !== TAG.sequence) throw new DerError('it does not begin with a sequence')
  return node
}
