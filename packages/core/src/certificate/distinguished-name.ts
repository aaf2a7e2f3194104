import { createDerCursor, readOid } from './der-cursor.ts'
import { DerError, type DerNode, TAG } from './der-reader.ts'
import { oid, sequence, setOf, utf8String } from './der-writer.ts'
import { OID } from './object-identifiers.ts'

/** The subject of a certificate that we issue. */
export interface DistinguishedName {
  readonly commonName: string
  readonly organization?: string
}

export interface NameAttribute {
  readonly type: string
  readonly value: string
}

const decodeLatin1 = (content: Buffer): string => content.toString('latin1')

const DECODERS: Readonly<Record<number, (content: Buffer) => string>> = {
  [TAG.utf8String]: (content) => decodeWith('utf-8', content),
  [TAG.bmpString]: (content) => decodeWith('utf-16le', Buffer.from(content).swap16()),
  [TAG.numericString]: decodeLatin1,
  [TAG.printableString]: decodeLatin1,
  [TAG.teletexString]: decodeLatin1,
  [TAG.ia5String]: decodeLatin1,
}

export function buildName(name: DistinguishedName): Buffer {
  const organization = name.organization === undefined ? [] : [buildAttribute(OID.organization, name.organization)]
  return sequence(...organization, buildAttribute(OID.commonName, name.commonName))
}

/** The attributes of a name in order. Throws DerError for a value that is not text or cannot be decoded. */
export function readName(node: DerNode): NameAttribute[] {
  return createDerCursor(node)
    .takeRest(TAG.set)
    .flatMap((relative) => createDerCursor(relative).takeRest(TAG.sequence))
    .map(readAttribute)
}

function readAttribute(node: DerNode): NameAttribute {
  const type = readOid(createDerCursor(node).take(TAG.oid))
  const value = node.children[1]
  if (!value || node.children.length !== 2) throw new DerError('a name is malformed')
  const decode = DECODERS[value.tag]
  if (!decode) throw new DerError('a name contains a value that is not text')
  return { type, value: decode(value.content) }
}

function buildAttribute(type: string, value: string): Buffer {
  return setOf(sequence(oid(type), utf8String(value)))
}

function decodeWith(encoding: string, content: Buffer): string {
  try {
    return new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(content)
  } catch {
    throw new DerError('a name contains text that cannot be decoded')
  }
}
