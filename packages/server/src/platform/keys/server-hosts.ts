import type { X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import { type AltName, findHostAltName } from '@countersign/core'
import { StartupError } from '../startup-error.ts'

const LOCAL_HOSTS = ['localhost', '127.0.0.1', '::1']

/** Addresses that mean "listen on all interfaces", which clients cannot connect to. */
const UNSPECIFIED_ADDRESSES: ReadonlySet<string> = new Set(['0.0.0.0', '::'])

/** The hosts that the server certificate must cover: the configured ones and those of this machine, without duplicates. */
export function buildServerHosts(hosts: readonly string[]): string[] {
  const configured = hosts.map((host) => host.replace(/^\[(.*)\]$/, '$1').toLowerCase())
  return [...new Set([...configured.filter((host) => !UNSPECIFIED_ADDRESSES.has(host)), ...LOCAL_HOSTS])]
}

/** Throws a StartupError for a host that cannot be in a certificate. */
export function buildHostAltNames(hosts: readonly string[]): AltName[] {
  return hosts.map((host) => {
    const altName = findHostAltName(host)
    if (altName) return altName
    throw new StartupError(`'${host}' is neither a host name nor an IP address, so no certificate can be issued for it`)
  })
}

/** The first host that a certificate does not cover. */
export function findUncoveredHost(certificate: X509Certificate, hosts: readonly string[]): string | undefined {
  return hosts.find((host) =>
    isIP(host) ? certificate.checkIP(host) === undefined : certificate.checkHost(host) === undefined,
  )
}
