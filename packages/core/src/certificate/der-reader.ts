/** Raised for bytes that are not the one DER encoding of what they claim to be. */
export class DerError extends Error {
  override readonly name = 'DerError'
}

/** One element: `tag` is its identifier octet, `bytes` the whole encoding, `content` what is inside. */
export interface DerNode {
  readonly tag: number
  readonly bytes: Buffer
  readonly content: Buffer
  /** The elements inside a constructed one; empty for a primitive. */
  readonly children: readonly DerNode[]
}

export const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  oid: 0x06,
  utf8String: 0x0c,
  numericString: 0x12,
  printableString: 0x13,
  teletexString: 0x14,
  ia5String: 0x16,
  utcTime: 0x17,
  generalizedTime: 0x18,
  bmpString: 0x1e,
  sequence: 0x30,
  set: 0x31,
} as const

const MAX_DEPTH = 32
const MAX_LENGTH_OCTETS = 3
const CONSTRUCTED = 0x20
const CONTEXT_CLASS = 0x80

const isMinimalInteger = (content: Buffer): boolean =>
  content.length > 0 &&
  !(content.length > 1 && (content[0] === 0x00 || content[0] === 0xff) && content[0] >> 7 === byteAt(content, 1) >> 7)

/** What a primitive of each universal type may hold; a type that is not here is refused. */
const PRIMITIVES: Readonly<Record<number, (content: Buffer) => boolean>> = {
  [TAG.boolean]: (content) => content.length === 1 && (content[0] === 0x00 || content[0] === 0xff),
  [TAG.integer]: isMinimalInteger,
  [TAG.bitString]: isDerBitString,
  [TAG.octetString]: () => true,
  [TAG.null]: (content) => content.length === 0,
  [TAG.oid]: isMinimalOid,
  [TAG.utf8String]: () => true,
  [TAG.numericString]: isAscii,
  [TAG.printableString]: isAscii,
  [TAG.teletexString]: () => true,
  [TAG.ia5String]: isAscii,
  [TAG.utcTime]: isAscii,
  [TAG.generalizedTime]: isAscii,
  [TAG.bmpString]: (content) => content.length % 2 === 0,
}

/**
 * Reads bytes that must be exactly one DER element: definite and minimal lengths, minimal integers and object
 * identifiers, sorted sets, nothing after the end, at most 32 levels. Throws DerError for anything else.
 */
export function readDer(bytes: Buffer): DerNode {
  const node = readElement(bytes, 0, 0)
  if (node.bytes.length !== bytes.length) throw new DerError('there are bytes after the end')
  return node
}

function readElement(bytes: Buffer, start: number, depth: number): DerNode {
  if (depth > MAX_DEPTH) throw new DerError('it is nested too deeply')
  const tag = byteAt(bytes, start)
  const { length, contentStart } = readLength(bytes, start + 1)
  const end = contentStart + length
  if (end > bytes.length) throw new DerError('it ends too early')
  const content = bytes.subarray(contentStart, end)
  const children = checkTag(tag) ? readChildren(content, depth + 1) : []
  if (children.length === 0 && PRIMITIVES[tag]?.(content) === false) throw new DerError('a value is badly encoded')
  if (tag === TAG.set) checkSorted(children)
  return { tag, bytes: bytes.subarray(start, end), content, children }
}

function readChildren(content: Buffer, depth: number): DerNode[] {
  const children: DerNode[] = []
  for (let offset = 0; offset < content.length; ) {
    const child = readElement(content, offset, depth)
    children.push(child)
    offset += child.bytes.length
  }
  return children
}

/** Whether the element holds others. Only the universal types above and one-octet context tags exist for us. */
function checkTag(tag: number): boolean {
  const isContext = (tag & 0xc0) === CONTEXT_CLASS && (tag & 0x1f) !== 0x1f
  if (isContext) return (tag & CONSTRUCTED) !== 0
  if (tag === TAG.sequence || tag === TAG.set) return true
  if (!Object.hasOwn(PRIMITIVES, tag)) throw new DerError('it holds a type that does not belong there')
  return false
}

function readLength(bytes: Buffer, offset: number): { length: number; contentStart: number } {
  const first = byteAt(bytes, offset)
  if (first < 0x80) return { length: first, contentStart: offset + 1 }
  const octets = first & 0x7f
  if (octets === 0 || octets > MAX_LENGTH_OCTETS) throw new DerError('a length is badly encoded')
  let length = 0
  for (let i = 1; i <= octets; i++) length = length * 256 + byteAt(bytes, offset + i)
  const isMinimal = length >= 0x80 && length >= 256 ** (octets - 1)
  if (!isMinimal) throw new DerError('a length is badly encoded')
  return { length, contentStart: offset + 1 + octets }
}

function byteAt(bytes: Buffer, offset: number): number {
  const byte = bytes[offset]
  if (byte === undefined) throw new DerError('it ends too early')
  return byte
}

function isDerBitString(content: Buffer): boolean {
  const unusedBits = content[0]
  if (unusedBits === undefined || unusedBits > 7) return false
  if (content.length === 1) return unusedBits === 0
  return (byteAt(content, content.length - 1) & ((1 << unusedBits) - 1)) === 0
}

/** Every arc in as few octets as possible and at most 35 bits wide: no arc in use overflows a number. */
function isMinimalOid(content: Buffer): boolean {
  let octetsInArc = 0
  for (const byte of content) {
    if (octetsInArc === 0 && byte === 0x80) return false
    if (++octetsInArc > 5) return false
    if (byte < 0x80) octetsInArc = 0
  }
  return content.length > 0 && octetsInArc === 0
}

function isAscii(content: Buffer): boolean {
  return content.every((byte) => byte < 0x80)
}

/** The order of a SET OF, also where it goes under another tag. Throws DerError. */
export function checkSorted(children: readonly DerNode[]): void {
  children.forEach((child, index) => {
    const previous = children[index - 1]
    if (previous && Buffer.compare(previous.bytes, child.bytes) > 0) throw new DerError('a set is not sorted')
  })
}
