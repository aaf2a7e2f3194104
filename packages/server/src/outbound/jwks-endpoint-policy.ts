import { isIP } from 'node:net'
import { hasUnsafeCharacter, invalidField } from '@countersign/core'
import type { PortRange, Settings } from '../platform/settings/index.ts'
import { addressRules, createAddressPolicy, isLoopbackAddress } from './address-policy.ts'
import { comparableHost, matchesHost } from './host-patterns.ts'

/** Metadata services of clouds, which trust every client inside the network. */
const METADATA_HOSTS = [
  'metadata',
  'metadata.google.internal',
  'metadata.goog',
  'instance-data',
  'instance-data.ec2.internal',
  'metadata.tencentyun.com',
  'metadata.azure.internal',
  'metadata.packet.net',
  'metadata.platformequinix.com',
  'api.metadata.cloud.ibm.com',
  'rancher-metadata',
]

/** Ports of non-HTTP services that might interpret an HTTP request as commands. */
const NON_HTTP_PORTS = new Set([
  22, 23, 25, 53, 110, 111, 135, 139, 143, 389, 445, 465, 587, 993, 995, 1433, 1521, 2049, 2379, 3306, 3389, 5432, 5672,
  6379, 9042, 11211, 27017,
])

/** Query parameters that contain secrets. Every caller with read access to signers sees the endpoint. */
const SECRET_PARAMETERS = new Set([
  'access_token',
  'api_key',
  'api-key',
  'apikey',
  'client_secret',
  'password',
  'secret',
  'sig',
  'signature',
  'token',
])

export interface JwksEndpointPolicy {
  /** Returns why an endpoint is never fetched, with the setting that allows it; undefined when it is allowed. */
  findRefusal(endpoint: string): string | undefined
  /** Throws the refusal as `INVALID_FIELD` for `field`; by default `jwksEndpoint`. */
  checkEndpoint(endpoint: string, field?: string): void
}

/** The rules for fetching keys that depend only on the URL, without a DNS lookup. */
export function createJwksEndpointPolicy({ jwks, dev }: Pick<Settings, 'jwks' | 'dev'>): JwksEndpointPolicy {
  const addressPolicy = createAddressPolicy(addressRules({ jwks, dev }))

  const findRefusal = (endpoint: string): string | undefined => {
    const url = parseEndpoint(endpoint)
    if (typeof url === 'string') return url
    const host = comparableHost(url.hostname.replace(/^\[|\]$/g, ''))
    const isLoopback = isLocalhost(host) || isLoopbackAddress(host)
    if (url.protocol === 'http:' && !(dev && isLoopback) && !matchesHost(host, jwks.allowHttp)) {
      return 'only https URLs are fetched: to allow http for this host, add it to the setting jwks.allowHttp'
    }
    return (
      findPortRefusal(url, jwks.allowedPorts) ??
      findHostRefusal(host, jwks) ??
      (isIP(host) === 0 ? undefined : addressPolicy(host)) ??
      (isLocalhost(host) ? addressPolicy('127.0.0.1') : undefined)
    )
  }

  return {
    findRefusal,
    checkEndpoint: (endpoint, field = 'jwksEndpoint') => {
      const refusal = findRefusal(endpoint)
      if (refusal) throw invalidField(field, refusal, endpoint)
    },
  }
}

/** Uses the parser of the fetch, so that both see the same host. Refuses texts that the parser would silently correct. */
function parseEndpoint(endpoint: string): URL | string {
  if (!URL.canParse(endpoint)) return 'it is not an absolute URL'
  const url = new URL(endpoint)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'only https and http URLs can be fetched'
  if (endpoint.includes('\\') || hasBlank(endpoint) || hasUnsafeCharacter(endpoint)) {
    return 'it contains a backslash, white space, an invisible or a control character'
  }
  if (!/^https?:\/\/[^/]/i.test(endpoint)) return 'it has no host'
  if (url.username !== '' || url.password !== '') return 'it must not contain a user name or password'
  if (endpoint.includes('#')) return 'it must not contain a fragment'
  const secret = [...url.searchParams.keys()].find((name) => SECRET_PARAMETERS.has(name.toLowerCase()))
  if (secret !== undefined) return `it must not contain a secret, and its query contains "${secret}"`
  return url
}

function hasBlank(text: string): boolean {
  return [...text].some((character) => character.trim() === '')
}

function findPortRefusal(url: URL, allowedPorts: readonly PortRange[]): string | undefined {
  const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port)
  const allowing = allowedPorts.filter(({ from, to }) => port >= from && port <= to)
  // A port of a non-HTTP service must be listed by itself; a range that includes it does not allow it.
  const isNamed = allowing.some(({ from, to }) => from === to)
  if (isNamed || (allowing.length > 0 && !NON_HTTP_PORTS.has(port))) return undefined
  return `port ${port} is not allowed: to allow it, add it to the setting jwks.allowedPorts`
}

function findHostRefusal(host: string, jwks: Settings['jwks']): string | undefined {
  if (METADATA_HOSTS.includes(host)) return `${host} is a metadata service`
  if (matchesHost(host, jwks.deniedHosts)) return `${host} is in the setting jwks.deniedHosts`
  if (jwks.allowedHosts.length > 0 && !matchesHost(host, jwks.allowedHosts)) {
    return `${host} is not in the setting jwks.allowedHosts`
  }
  return undefined
}

function isLocalhost(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost')
}
