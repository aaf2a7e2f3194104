import { findIpOctets } from '../certificate/ip-address.ts'
import { createLruCache } from '../create-lru-cache.ts'

/** All invalid addresses share one name, so that a client gains nothing by sending different ones. */
const UNREADABLE = 'unreadable'
const V6_SUFFIX = '::/64'
const SITE_HEX_DIGITS = 12

/**
 * The unit that a limiter counts for an address: the IPv4 address, also when it is mapped into IPv6, or the /64 network of
 * an IPv6 address, because a client controls the whole /64.
 */
export function clientNetwork(address: string): string {
  const known = networks.get(address)
  if (known !== undefined) return known
  const network = readNetwork(address)
  networks.set(address, network)
  return network
}

/** The /48 network of an IPv6 address, because one customer can have all of its /64 networks. Undefined for other addresses. */
export function findClientSite(address: string): string | undefined {
  const network = clientNetwork(address)
  return network.endsWith(V6_SUFFIX) ? `${network.slice(0, SITE_HEX_DIGITS)}::/48` : undefined
}

/** Cached for clients that call repeatedly. */
const networks = createLruCache<string, string>(1_000)

function readNetwork(address: string): string {
  const octets = findIpOctets(address.split('%', 1)[0] ?? '')
  if (!octets) return UNREADABLE
  if (octets.length === 4) return address
  const isMapped = octets.readBigUInt64BE(0) === 0n && octets.readUInt32BE(8) === 0xffff
  return isMapped ? octets.subarray(12).join('.') : octets.toString('hex', 0, 8) + V6_SUFFIX
}
