import { findIpOctets } from '../certificate/ip-address.ts'
import { createLruCache } from '../create-lru-cache.ts'

/** The addresses that begin with the same bits. */
export interface AddressRange {
  readonly octets: Buffer
  readonly bits: number
}

/** Rules name few ranges, and clients call repeatedly. */
const ranges = createLruCache<string, AddressRange>(256)
const addresses = createLruCache<string, Buffer>(256)

/** Parses `10.0.0.0/8` or `2001:db8::/32`. Undefined for any other text, and when bits after the prefix are set. */
export function findAddressRange(cidr: string): AddressRange | undefined {
  const known = ranges.get(cidr)
  if (known) return known
  const [address = '', length = '', ...more] = cidr.slice(0, MAX_LENGTH).split('/')
  const octets = findIpOctets(address)
  const bits = /^(0|[1-9]\d{0,2})$/.test(length) ? Number(length) : Number.NaN
  if (more.length > 0 || !octets || !(bits <= octets.length * 8)) return undefined
  const range = { octets, bits }
  if (!octets.every((octet, index) => (octet & ~mask(range, index)) === 0)) return undefined
  ranges.set(cidr, range)
  return range
}

/** Whether an address is in the range. An IPv4 address that is mapped into IPv6 counts as IPv4. Undefined for a text that is no address. */
export function isInRange(address: string, range: AddressRange): boolean | undefined {
  const found = findAddress(address)
  if (!found) return undefined
  const { octets } = range
  const own = octets.length === 4 && isMapped(found) ? found.subarray(12) : found
  if (own.length !== octets.length) return false
  return octets.every((octet, index) => ((octet ^ (own[index] ?? 0)) & mask(range, index)) === 0)
}

/** More characters than any address with its zone or prefix has: longer texts are cut, and then are none. */
const MAX_LENGTH = 64

function findAddress(text: string): Buffer | undefined {
  const known = addresses.get(text)
  if (known || text.length > MAX_LENGTH) return known
  const octets = findIpOctets(text.split('%', 1)[0] ?? '')
  if (octets) addresses.set(text, octets)
  return octets
}

/** The bits of one octet that belong to the prefix. */
function mask({ bits }: AddressRange, index: number): number {
  const own = Math.min(8, Math.max(0, bits - index * 8))
  return (0xff00 >> own) & 0xff
}

function isMapped(octets: Buffer): boolean {
  return octets.length === 16 && octets.readBigUInt64BE(0) === 0n && octets.readUInt32BE(8) === 0xffff
}
