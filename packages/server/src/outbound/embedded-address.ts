import { isIP, SocketAddress } from 'node:net'

/** IPv6 prefixes that embed an IPv4 address, and the group (of eight) at which it begins. */
const EMBEDDINGS: readonly { readonly prefix: readonly number[]; readonly at: number }[] = [
  { prefix: [0, 0, 0, 0, 0, 0xffff], at: 6 },
  { prefix: [0, 0, 0, 0, 0xffff, 0], at: 6 },
  { prefix: [0x64, 0xff9b, 0, 0, 0, 0], at: 6 },
  { prefix: [0x2002], at: 1 },
]

/** Returns the address that is actually reached: the IPv4 address embedded in an IPv6 address, else `text`. Undefined for an invalid address. */
export function unwrapAddress(text: string): string | undefined {
  const family = isIP(text)
  if (family === 4) return text
  if (family !== 6) return undefined
  const groups = groupsOf(text)
  const embedding = EMBEDDINGS.find(({ prefix }) => prefix.every((group, index) => groups[index] === group))
  if (embedding) return ipv4(groups[embedding.at] ?? 0, groups[embedding.at + 1] ?? 0)
  const [high = 0, low = 0] = groups.slice(6)
  const isCompatible = groups.slice(0, 6).every((group) => group === 0) && (high > 0 || low > 1)
  return isCompatible ? ipv4(high, low) : text
}

function ipv4(high: number, low: number): string {
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.')
}

/** The eight 16-bit groups of an IPv6 address. */
function groupsOf(text: string): number[] {
  // The URL parser returns the canonical form, with an embedded IPv4 part as two groups.
  const canonical = new URL(`http://[${withoutZone(text)}]/`).hostname.slice(1, -1)
  const [head = '', tail] = canonical.split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? 0 : 8 - left.length - right.length
  return [...left, ...Array<string>(zeros).fill('0'), ...right].map((group) => Number.parseInt(group, 16))
}

function withoutZone(text: string): string {
  return new SocketAddress({ address: text.split('%', 1)[0] ?? '', family: 'ipv6' }).address
}
