import { BoundedCache } from '../bounded-cache.ts'
import { findIpOctets } from '../certificate/ip-address.ts'

/** What is no address shares one name, so that nobody gains anything by writing nonsense. */
const UNREADABLE = 'unreadable'

/**
 * Whom a limit counts for an address: an IPv4 address itself, also inside IPv6; the /64 network of an IPv6 address, since
 * whoever has one of its addresses has them all.
 */
export function clientNetwork(address: string): string {
  const known = networks.get(address)
  if (known !== undefined) return known
  const network = readNetwork(address)
  networks.set(address, network)
  return network
}

/** The same clients come again and again. */
const networks = new BoundedCache<string, string>(1_000)

function readNetwork(address: string): string {
  const octets = findIpOctets(address.split('%', 1)[0] ?? '')
  if (!octets) return UNREADABLE
  if (octets.length === 4) return address
  const isMapped = octets.readBigUInt64BE(0) === 0n && octets.readUInt32BE(8) === 0xffff
  return isMapped ? octets.subarray(12).join('.') : `${octets.toString('hex', 0, 8)}::/64`
}
