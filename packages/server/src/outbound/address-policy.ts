import { BlockList, isIP } from 'node:net'
import type { Settings } from '../platform/settings/index.ts'
import { unwrapAddress } from './embedded-address.ts'

/** Metadata services of clouds outside the link-local networks, which trust every client on the machine. */
const METADATA = [
  '100.100.100.200/32', // Alibaba
  '100.96.0.96/32', // Volcengine
  '168.63.129.16/32', // Azure
  '192.0.0.192/32', // Oracle
  'fd00:ec2::/32', // Amazon
  'fd20:ce::/32', // Google
  'fd00:c1::a9fe:a9fe/128', // Oracle
  'fd00:42::42/128', // Scaleway
  'fd00:a9fe:a9fe::/48', // Akamai
] as const

/** Refused regardless of the settings: metadata services, link-local, multicast, unspecified and reserved addresses. */
const ALWAYS_REFUSED = blockList([
  ...METADATA,
  '0.0.0.0/8',
  '169.254.0.0/16',
  '192.0.0.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '::/128',
  'fe80::/10',
  'ff00::/8',
  // Tunnels to an IPv4 address that the prefix does not reveal.
  '2001::/32',
  '64:ff9b:1::/48',
])

const LOOPBACK_NETWORKS = ['127.0.0.0/8', '::1/128']
const LOOPBACK = blockList(LOOPBACK_NETWORKS)

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
  /** The provider runs on the same machine. */
  readonly allowLoopback: boolean
}

/** Returns why an address must not be dialled, with the setting that allows it; undefined when it is allowed. */
export type AddressPolicy = (address: string) => string | undefined

/** The rules of the settings. Development mode allows loopback. */
export function addressRules({ jwks, dev }: Pick<Settings, 'jwks' | 'dev'>): AddressRules {
  return { ...jwks, allowLoopback: jwks.allowLoopback || dev }
}

export function createAddressPolicy(rules: AddressRules): AddressPolicy {
  const allowed = blockList(rules.allowedNetworks)
  // Loopback must be named itself: a wider network that includes it does not allow it.
  const allowedLoopback = blockList(
    rules.allowLoopback ? LOOPBACK_NETWORKS : rules.allowedNetworks.filter(isLoopbackNetwork),
  )
  const denied = blockList(rules.deniedNetworks)
  return (text) => {
    const address = unwrapAddress(text)
    if (address === undefined) return `${text} is not an IP address`
    if (contains(ALWAYS_REFUSED, address)) return `${address} is a link-local, metadata, multicast or reserved address`
    if (contains(denied, address)) return `${address} is in a network of the setting jwks.deniedNetworks`
    if (contains(LOOPBACK, address)) {
      if (contains(allowedLoopback, address)) return undefined
      return `${address} is a loopback address: to allow it, set jwks.allowLoopback or add it to jwks.allowedNetworks`
    }
    if (contains(PRIVATE, address) && !contains(allowed, address) && !rules.allowPrivateAddresses) {
      return `${address} is a private address: to allow it, add it to the setting jwks.allowedNetworks`
    }
    return undefined
  }
}

export function isLoopbackAddress(text: string): boolean {
  const address = unwrapAddress(text)
  return address !== undefined && contains(LOOPBACK, address)
}

function isLoopbackNetwork(network: string): boolean {
  const [address = '', bits] = network.split('/')
  if (!isLoopbackAddress(address)) return false
  return bits === undefined || Number(bits) >= (isIP(address) === 6 ? 128 : 8)
}

/** Returns a function that checks whether the address of a peer belongs to one of the networks. Of embedded addresses only IPv4-mapped ones count. */
export function createNetworkCheck(networks: readonly string[]): (address: string) => boolean {
  const list = blockList(networks)
  return (address) => contains(list, address.split('%', 1)[0] ?? '')
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
