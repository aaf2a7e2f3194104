import { BlockList, isIP } from 'node:net'
import { unwrapAddress } from './embedded-address.ts'

/** Never dialled, whatever the settings say: metadata services, link-local, multicast, unspecified and reserved addresses. */
const NEVER = blockList([
  '0.0.0.0/8',
  '169.254.0.0/16',
  '100.100.100.200/32',
  '168.63.129.16/32',
  '192.0.0.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '::/128',
  'fe80::/10',
  'ff00::/8',
  'fd00:ec2::254/128',
  // Tunnels whose other end is an IPv4 address that cannot be told from the prefix alone.
  '2001::/32',
  '64:ff9b:1::/48',
])

const LOOPBACK = blockList(['127.0.0.0/8', '::1/128'])

const PRIVATE = blockList([
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '100.64.0.0/10',
  '198.18.0.0/15',
  'fc00::/7',
  'fec0::/10',
])

export interface AddressRules {
  readonly allowPrivateAddresses: boolean
  readonly allowedNetworks: readonly string[]
  readonly deniedNetworks: readonly string[]
  /** Development: the provider may run on this very machine. */
  readonly allowLoopback: boolean
}

/** Why an address may not be dialled, with the setting that would allow it; undefined when it may. */
export type AddressPolicy = (address: string) => string | undefined

export function createAddressPolicy(rules: AddressRules): AddressPolicy {
  const allowed = blockList(rules.allowedNetworks)
  const denied = blockList(rules.deniedNetworks)
  return (text) => {
    const address = unwrapAddress(text)
    if (address === undefined) return `${text} is not an IP address`
    if (contains(NEVER, address)) return `${address} is a link-local, metadata, multicast or reserved address`
    if (contains(denied, address)) return `${address} is in a network of the setting jwks.deniedNetworks`
    if (contains(allowed, address) || rules.allowPrivateAddresses) return undefined
    if (contains(LOOPBACK, address)) {
      if (rules.allowLoopback) return undefined
      return `${address} is a loopback address; the setting jwks.allowedNetworks would allow it`
    }
    if (contains(PRIVATE, address)) {
      return `${address} is a private address; the setting jwks.allowedNetworks would allow it`
    }
    return undefined
  }
}

export function isLoopbackAddress(text: string): boolean {
  const address = unwrapAddress(text)
  return address !== undefined && contains(LOOPBACK, address)
}

function blockList(networks: readonly string[]): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', bits] = network.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    list.addSubnet(address, bits === undefined ? (family === 'ipv6' ? 128 : 32) : Number(bits), family)
  }
  return list
}

function contains(list: BlockList, address: string): boolean {
  return list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
}
