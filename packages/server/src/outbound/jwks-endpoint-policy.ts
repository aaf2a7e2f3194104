import { isIP } from 'node:net'
import { hasTreacherousCharacter, invalidField } from '@countersign/core'
import type { PortRange, Settings } from '../platform/settings/index.ts'
import { createAddressPolicy, isLoopbackAddress } from './address-policy.ts'
import { comparableHost, matchesHost } from './host-patterns.ts'

/** Names of metadata services: they answer to whoever asks from inside. */
const METADATA_HOSTS = ['metadata.google.internal', 'metadata.goog', 'metadata', 'instance-data']

/** Ports of services that are not web servers but would listen to what looks like a line of text. */
const OTHER_SERVICES = new Set([
  22, 23, 25, 53, 110, 111, 135, 139, 143, 389, 445, 465, 587, 993, 995, 1433, 1521, 2049, 2379, 3306, 3389, 5432, 5672,
  6379, 9042, 11211, 27017,
])

/** Query parameters that hold a secret. An endpoint is shown to everybody who may read signers. */
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
  /** Why an endpoint would never be fetched, naming the setting that would allow it; undefined when it may be. */
  findProblem(endpoint: string): string | undefined
  /** Throws that as `INVALID_FIELD` of a signer. */
  checkEndpoint(endpoint: string): void
}

/** The rules for fetching keys, as far as they can be told from the endpoint's text, without asking DNS. */
export function createJwksEndpointPolicy({ jwks, dev }: Pick<Settings, 'jwks' | 'dev'>): JwksEndpointPolicy {
  const addressProblem = createAddressPolicy({ ...jwks, allowLoopback: dev })

  const findProblem = (endpoint: string): string | undefined => {
    const url = parseEndpoint(endpoint)
    if (typeof url === 'string') return url
    const host = comparableHost(url.hostname.replace(/^\[|\]$/g, ''))
    const isLoopback = isLocalhost(host) || isLoopbackAddress(host)
    if (url.protocol === 'http:' && !(dev && isLoopback) && !matchesHost(host, jwks.allowHttp)) {
      return 'only https is fetched; the setting jwks.allowHttp lists the hosts that may use http'
    }
    return (
      portProblem(url, jwks.allowedPorts) ??
      hostProblem(host, jwks) ??
      (isIP(host) === 0 ? undefined : addressProblem(host)) ??
      (isLocalhost(host) ? addressProblem('127.0.0.1') : undefined)
    )
  }

  return {
    findProblem,
    checkEndpoint: (endpoint) => {
      const problem = findProblem(endpoint)
      if (problem) throw invalidField('jwksEndpoint', problem, endpoint)
    },
  }
}

/** The one parser that the fetch uses too, so that both mean the same host; texts that it would quietly mend are refused. */
function parseEndpoint(endpoint: string): URL | string {
  if (!URL.canParse(endpoint)) return 'it is not an absolute URL'
  const url = new URL(endpoint)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'only https and http addresses can be fetched'
  if (endpoint.includes('\\') || hasBlank(endpoint) || hasTreacherousCharacter(endpoint)) {
    return 'it holds a backslash, white space, an invisible or a control character'
  }
  if (!/^https?:\/\/[^/]/i.test(endpoint)) return 'it has no host'
  if (url.username !== '' || url.password !== '') return 'it may not hold a user name or password'
  if (endpoint.includes('#')) return 'it may not hold a fragment'
  const secret = [...url.searchParams.keys()].find((name) => SECRET_PARAMETERS.has(name.toLowerCase()))
  if (secret !== undefined) return `it may not hold a secret, and its query holds "${secret}"`
  return url
}

function hasBlank(text: string): boolean {
  return [...text].some((character) => character.trim() === '')
}

function portProblem(url: URL, allowedPorts: readonly PortRange[]): string | undefined {
  const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port)
  const allowing = allowedPorts.filter(({ from, to }) => port >= from && port <= to)
  // A range that happens to hold the port of another service does not mean it; naming the port does.
  const isNamed = allowing.some(({ from, to }) => from === to)
  if (isNamed || (allowing.length > 0 && !OTHER_SERVICES.has(port))) return undefined
  return `port ${port} is not fetched from; the setting jwks.allowedPorts lists those that are`
}

function hostProblem(host: string, jwks: Settings['jwks']): string | undefined {
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
