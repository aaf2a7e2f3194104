import type { X509Certificate } from 'node:crypto'
import { createSecureContext } from 'node:tls'
import { formatPem } from '@countersign/core'
import { StartupError } from '../startup-error.ts'
import { formatPrivateKey, loadCertificates } from './load-pem-file.ts'
import { loadServerCertificate, type ServerCertificate } from './server-certificate.ts'
import { findUncoveredHost } from './server-hosts.ts'

/** Files of the operator's own certificate, with the CA that clients must trust for it. */
export interface ConfiguredFiles {
  readonly certFile: string
  readonly keyFile: string
  readonly caFile: string
}

export interface ConfiguredCertificate {
  readonly server: ServerCertificate
  readonly ca: readonly X509Certificate[]
  readonly warnings: readonly string[]
}

const MAX_CHAIN = 10

/** Loads the operator's files. Throws a StartupError that names the unusable file; lesser faults are warnings. */
export async function loadConfiguredCertificate(
  { certFile, keyFile, caFile }: ConfiguredFiles,
  hosts: readonly string[],
  now: Date,
): Promise<ConfiguredCertificate> {
  const server = await loadServerCertificate(certFile, keyFile)
  const ca = await loadCertificates(caFile)
  if (!isIssuedUnder(server.chain, ca)) {
    throw new StartupError(`the certificate in ${certFile} was not issued under any certificate of ${caFile}`)
  }
  checkUsableForTls(server, certFile)
  return { server, ca, warnings: findWarnings(server.leaf, certFile, hosts, now) }
}

/** Follows the chain from the leaf until a certificate is in the CA file, or is signed by one that is. */
function isIssuedUnder([leaf, ...others]: readonly X509Certificate[], ca: readonly X509Certificate[]): boolean {
  let current = leaf
  for (let step = 0; current && step < MAX_CHAIN; step++) {
    const child = current
    const isIssuer = (candidate: X509Certificate): boolean =>
      child.checkIssued(candidate) && child.verify(candidate.publicKey)
    if (ca.some((trusted) => trusted.fingerprint256 === child.fingerprint256 || isIssuer(trusted))) return true
    current = others.find((candidate) => candidate.fingerprint256 !== child.fingerprint256 && isIssuer(candidate))
  }
  return false
}

/** Applies OpenSSL's own rules, such as the minimum key size, now and not at the first connection. */
function checkUsableForTls({ chain, key }: ServerCertificate, certFile: string): void {
  try {
    const cert = chain.map(({ raw }) => formatPem('CERTIFICATE', raw)).join('')
    createSecureContext({ cert, key: formatPrivateKey(key) })
  } catch (error) {
    throw new StartupError(`the certificate in ${certFile} cannot be used for TLS`, undefined, { cause: error })
  }
}

function findWarnings(leaf: X509Certificate, certFile: string, hosts: readonly string[], now: Date): string[] {
  const uncovered = findUncoveredHost(leaf, hosts)
  return [
    ...(leaf.validToDate <= now ? [`the certificate in ${certFile} has expired`] : []),
    ...(leaf.validFromDate > now ? [`the certificate in ${certFile} is not valid yet`] : []),
    ...(uncovered === undefined ? [] : [`the certificate in ${certFile} is not valid for ${uncovered}`]),
  ]
}
