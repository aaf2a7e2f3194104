import { DerError, type DerNode, TAG } from './der-reader.ts'

/** Iterates over the children of a constructed element. Each method throws DerError when the structure differs. */
export interface DerCursor {
  take(tag: number): DerNode
  takeOptional(tag: number): DerNode | undefined
  /** The remaining elements, which must all have the tag. */
  takeRest(tag: number): DerNode[]
  end(): void
}

export function createDerCursor(node: DerNode): DerCursor {
  let position = 0
  const takeOptional = (tag: number): DerNode | undefined => {
    const child = node.children[position]
    if (child?.tag !== tag) return undefined
    position += 1
    return child
  }
  const take = (tag: number): DerNode => {
    const child = takeOptional(tag)
    if (!child) throw new DerError('an element is missing or of another type')
    return child
  }
  const end = (): void => {
    if (position !== node.children.length) throw new DerError('there are more elements than expected')
  }
  const takeRest = (tag: number): DerNode[] => {
    const rest: DerNode[] = []
    for (let child = takeOptional(tag); child; child = takeOptional(tag)) rest.push(child)
    end()
    return rest
  }
  return { take, takeOptional, takeRest, end }
}

/** The only child of a wrapper such as an explicit tag. */
export function getOnlyChild(node: DerNode, tag: number): DerNode {
  const cursor = createDerCursor(node)
  const child = cursor.take(tag)
  cursor.end()
  return child
}

/** An object identifier in dotted form. */
export function readOid(node: DerNode): string {
  if (node.tag !== TAG.oid) throw new DerError('an object identifier is missing')
  const arcs: number[] = []
  let arc = 0
  for (const byte of node.content) {
    arc = arc * 128 + (byte & 0x7f)
    if (byte < 0x80) {
      arcs.push(arc)
      arc = 0
    }
  }
  const [joined = 0, ...rest] = arcs
  const first = Math.min(Math.floor(joined / 40), 2)
  return [first, joined - first * 40, ...rest].join('.')
}

/** The content of a bit string of whole octets, as keys and signatures are. */
export function readOctetsOfBitString(node: DerNode): Buffer {
  if (node.tag !== TAG.bitString || node.content[0] !== 0) throw new DerError('a bit string of whole octets is missing')
  return node.content.subarray(1)
}

/** UTCTime (RFC 5280 4.1.2.5.1: 50-99 are 19xx) or GeneralizedTime, in seconds and in UTC. */
export function readTime(node: DerNode): Date {
  const text = node.content.toString('latin1')
  const isUtcTime = node.tag === TAG.utcTime
  if (!isUtcTime && node.tag !== TAG.generalizedTime) throw new DerError('a date is missing')
  const digits = isUtcTime ? (text.startsWith('5') || text > '6' ? `19${text}` : `20${text}`) : text
  if (!/^\d{14}Z$/.test(digits)) throw new DerError('a date is malformed')
  const part = (from: number, to: number): string => digits.slice(from, to)
  const iso = `${part(0, 4)}-${part(4, 6)}-${part(6, 8)}T${part(8, 10)}:${part(10, 12)}:${part(12, 14)}.000Z`
  const date = new Date(iso)
  // Date rolls 31 February over to March. A valid date formats to the same text.
  if (Number.isNaN(date.getTime()) || date.toISOString() !== iso) throw new DerError('a date does not exist')
  return date
}
