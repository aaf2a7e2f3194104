import { X509Certificate } from 'node:crypto'
import { createLruCache } from '@countersign/core'
import type { ServerIdentity } from './keys/server-identity.ts'

export interface OwnAddressesParts {
  /** host:port pairs under which clients reach this controller. */
  readonly addresses: () => readonly string[]
  /** The server certificate that is in use. */
  readonly serverIdentity: () => Pick<ServerIdentity, 'certificatePem' | 'fingerprint'>
}

const MAX_FOUND = 100
const ALT_NAME = /(?:DNS|IP Address):([^,\s]+)/g

/**
 * The addresses under which this controller is reached: those that it advertises, and each name of its server certificate with the ports on which it
 * is reached.
 */
export class OwnAddresses {
  readonly #parts: OwnAddressesParts
  readonly #found = createLruCache<string, string>(MAX_FOUND)
  #names: { readonly fingerprint: string; readonly hosts: ReadonlySet<string> } | undefined

  constructor(parts: OwnAddressesParts) {
    this.#parts = parts
  }

  /** The `Host` of a request in the form of `URL.host`; undefined when it is not an address of this controller. */
  find(host: string, localPort: number | undefined): string | undefined {
    // Parsing the addresses costs more than the rest of a request for a page.
    const { fingerprint } = this.#parts.serverIdentity()
    const key = `${host} ${localPort} ${fingerprint} ${this.#parts.addresses().join()}`
    const known = this.#found.get(key)
    if (known !== undefined) return known
    const found = this.#find(host, localPort)
    if (found !== undefined) this.#found.set(key, found)
    return found
  }

  #find(host: string, localPort: number | undefined): string | undefined {
    const url = parseHost(host)
    if (url?.pathname !== '/' || url.username !== '' || url.search !== '' || url.hash !== '') return undefined
    return this.isOwn(url, localPort) ? url.host : undefined
  }

  /** Whether the host of a URL is an address of this controller. */
  isOwn({ host, hostname, port }: URL, localPort: number | undefined): boolean {
    const addresses = this.#addresses()
    if (addresses.has(host)) return true
    if (!this.#certificateHosts().has(hostname)) return false
    const ports = [...addresses].map((address) => parseHost(address)?.port)
    return ports.includes(port) || (localPort !== undefined && port === (localPort === 443 ? '' : String(localPort)))
  }

  /** In the form of `URL.host`. */
  #addresses(): ReadonlySet<string> {
    return new Set(this.#parts.addresses().flatMap((address) => parseHost(address)?.host ?? []))
  }

  #certificateHosts(): ReadonlySet<string> {
    const { certificatePem, fingerprint } = this.#parts.serverIdentity()
    if (this.#names?.fingerprint !== fingerprint) this.#names = { fingerprint, hosts: certificateHosts(certificatePem) }
    return this.#names.hosts
  }
}

/** The names of a certificate in the form of `URL.hostname`, without wildcards. */
export function certificateHosts(certificatePem: string): ReadonlySet<string> {
  const { subjectAltName = '' } = new X509Certificate(certificatePem)
  const names = [...subjectAltName.matchAll(ALT_NAME)].map(([, name = '']) => name)
  return new Set(
    names
      .filter((name) => !name.includes('*'))
      .flatMap((name) => parseHost(name.includes(':') ? `[${name}]` : name)?.hostname ?? []),
  )
}

function parseHost(host: string): URL | undefined {
  return URL.canParse(`https://${host}`) ? new URL(`https://${host}`) : undefined
}
