import type { X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import { type AltName, findHostAltName } from '@countersign/core'
import { StartupError } from '../startup-error.ts'

const ALWAYS = ['localhost', '127.0.0.1', '::1']

/** Addresses that mean "listen everywhere" and that nobody can connect to by name. */
const LISTEN_EVERYWHERE: ReadonlySet<string> = new Set(['0.0.0.0', '::'])

/** The hosts that a server certificate has to stand for: the ones asked for and this machine's own, each once. */
export function buildServerHosts(hosts: readonly string[]): string[] {
  const asked = hosts.map((host) => host.replace(/^\[(.*)\]$/, '$1').toLowerCase())
  return [...new Set([...asked.filter((host) => !LISTEN_EVERYWHERE.has(host)), ...ALWAYS])]
}

/** Throws StartupError for a host that cannot be written into a certificate. */
export function buildHostAltNames(hosts: readonly string[]): AltName[] {
  return hosts.map((host) => {
    const altName = findHostAltName(host)
    if (altName) return altName
    throw new StartupError(`'${host}' is neither a host name nor an IP address, so that no certificate fits it`)
  })
}

/** The first host that a certificate does not stand for. */
export function findUncoveredHost(certificate: X509Certificate, hosts: readonly string[]): string | undefined {
  return hosts.find((host) =>
    isIP(host) ? certificate.checkIP(host) === undefined : certificate.checkHost(host) === undefined,
  )
}
