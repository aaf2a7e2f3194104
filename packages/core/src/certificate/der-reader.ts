/** The bytes are not valid DER, or not the expected structure. */
export class DerError extends Error {
  override readonly name = 'DerError'
}

/** One element: `tag` is its identifier octet, `bytes` the whole encoding, `content` the encoding without tag and length. */
export interface DerNode {
  readonly tag: number
  readonly bytes: Buffer
  readonly content: Buffer
  /** The elements of a constructed one; empty for a primitive. */
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

/** Whether the content of a primitive, `bytes` from `start` to `end`, is valid for its type. */
type PrimitiveRule = (bytes: Buffer, start: number, end: number) => boolean

/** The universal types and the rules for their content. Other types are refused. */
const PRIMITIVES: Readonly<Record<number, PrimitiveRule>> = {
  [TAG.boolean]: (bytes, start, end) => end - start === 1 && (bytes[start] === 0x00 || bytes[start] === 0xff),
  [TAG.integer]: isMinimalInteger,
  [TAG.bitString]: isDerBitString,
  [TAG.octetString]: () => true,
  [TAG.null]: (_bytes, start, end) => end === start,
  [TAG.oid]: isMinimalOid,
  [TAG.utf8String]: () => true,
  [TAG.numericString]: isAscii,
  [TAG.printableString]: isAscii,
  [TAG.teletexString]: () => true,
  [TAG.ia5String]: isAscii,
  [TAG.utcTime]: isAscii,
  [TAG.generalizedTime]: isAscii,
  [TAG.bmpString]: (_bytes, start, end) => (end - start) % 2 === 0,
}

/**
 * Parses exactly one DER element: definite and minimal lengths, minimal integers and object identifiers, sorted sets,
 * nothing after the end, at most 32 levels. Throws DerError for anything else.
 */
export function readDer(bytes: Buffer): DerNode {
  const node = readElement(bytes, 0, bytes.length, 0)
  if (node.end !== bytes.length) throw new DerError('there are bytes after the end')
  return node
}

type Extent = readonly [start: number, contentStart: number, end: number]

/** Holds the position of an element. Its bytes are sliced on access, because those of most elements are never used. */
class DerElement implements DerNode {
  readonly tag: number
  readonly end: number
  readonly children: readonly DerElement[]
  readonly #source: Buffer
  readonly #start: number
  readonly #contentStart: number

  constructor(source: Buffer, tag: number, [start, contentStart, end]: Extent, children: readonly DerElement[]) {
    this.tag = tag
    this.end = end
    this.children = children
    this.#source = source
    this.#start = start
    this.#contentStart = contentStart
  }

  get bytes(): Buffer {
    return this.#source.subarray(this.#start, this.end)
  }

  get content(): Buffer {
    return this.#source.subarray(this.#contentStart, this.end)
  }
}

/** Reads the element that begins at `start` and ends no later than `limit`. */
function readElement(bytes: Buffer, start: number, limit: number, depth: number): DerElement {
  if (depth > MAX_DEPTH) throw new DerError('it is nested too deeply')
  const tag = byteAt(bytes, start, limit)
  const { length, contentStart } = readLength(bytes, start + 1, limit)
  const end = contentStart + length
  if (end > limit) throw new DerError('it ends too early')
  const children = checkTag(tag) ? readChildren(bytes, contentStart, end, depth + 1) : []
  if (children.length === 0 && PRIMITIVES[tag]?.(bytes, contentStart, end) === false) {
    throw new DerError('a value is badly encoded')
  }
  if (tag === TAG.set) checkSorted(children)
  return new DerElement(bytes, tag, [start, contentStart, end], children)
}

function readChildren(bytes: Buffer, start: number, end: number, depth: number): DerElement[] {
  const children: DerElement[] = []
  for (let offset = start; offset < end; ) {
    const child = readElement(bytes, offset, end, depth)
    children.push(child)
    offset = child.end
  }
  return children
}

/** Whether the element is constructed. Supports only the universal types above and one-octet context tags. */
function checkTag(tag: number): boolean {
  const isContext = (tag & 0xc0) === CONTEXT_CLASS && (tag & 0x1f) !== 0x1f
  if (isContext) return (tag & CONSTRUCTED) !== 0
  if (tag === TAG.sequence || tag === TAG.set) return true
  if (!Object.hasOwn(PRIMITIVES, tag)) throw new DerError('it contains an unsupported type')
  return false
}

function readLength(bytes: Buffer, offset: number, limit: number): { length: number; contentStart: number } {
  const first = byteAt(bytes, offset, limit)
  if (first < 0x80) return { length: first, contentStart: offset + 1 }
  const octets = first & 0x7f
  if (octets === 0 || octets > MAX_LENGTH_OCTETS) throw new DerError('a length is badly encoded')
  let length = 0
  for (let i = 1; i <= octets; i++) length = length * 256 + byteAt(bytes, offset + i, limit)
  const isMinimal = length >= 0x80 && length >= 256 ** (octets - 1)
  if (!isMinimal) throw new DerError('a length is badly encoded')
  return { length, contentStart: offset + 1 + octets }
}

function byteAt(bytes: Buffer, offset: number, limit: number): number {
  const byte = offset < limit ? bytes[offset] : undefined
  if (byte === undefined) throw new DerError('it ends too early')
  return byte
}

function isMinimalInteger(bytes: Buffer, start: number, end: number): boolean {
  if (end - start < 2) return end > start
  const [first, isSecondHigh] = [bytes[start], byteAt(bytes, start + 1, end) >= 0x80]
  return !(first === 0x00 && !isSecondHigh) && !(first === 0xff && isSecondHigh)
}

function isDerBitString(bytes: Buffer, start: number, end: number): boolean {
  if (end === start) return false
  const unusedBits = byteAt(bytes, start, end)
  if (unusedBits > 7) return false
  if (end - start === 1) return unusedBits === 0
  return (byteAt(bytes, end - 1, end) & ((1 << unusedBits) - 1)) === 0
}

/** Every arc is minimal and has at most 35 bits, so that it fits into a number. */
function isMinimalOid(bytes: Buffer, start: number, end: number): boolean {
  let octetsInArc = 0
  for (let at = start; at < end; at++) {
    const byte = byteAt(bytes, at, end)
    if (octetsInArc === 0 && byte === 0x80) return false
    if (++octetsInArc > 5) return false
    if (byte < 0x80) octetsInArc = 0
  }
  return end > start && octetsInArc === 0
}

function isAscii(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (byteAt(bytes, at, end) >= 0x80) return false
  return true
}

/** Throws DerError when the elements of a SET OF are not sorted. Also for implicitly tagged sets. */
export function checkSorted(children: readonly DerNode[]): void {
  children.forEach((child, index) => {
    const previous = children[index - 1]
    if (previous && Buffer.compare(previous.bytes, child.bytes) > 0) throw new DerError('a set is not sorted')
  })
}
