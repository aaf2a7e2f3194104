import type { X509Certificate } from 'node:crypto'
import { join } from 'node:path'
import { buildCertsOnlyPkcs7, type CertificateIssuer, formatPem, wrapBase64 } from '@countersign/core'
import { createAuthority, formatPrivateKey, loadAuthority } from './certificate-authority.ts'
import { type ConfiguredFiles, loadConfiguredCertificate } from './configured-certificate.ts'
import { isKeyDirectoryEmpty, KEY_FILES } from './key-directory.ts'
import { loadOwnServerCertificate, type ServerCertificate } from './server-certificate.ts'
import { buildServerHosts } from './server-hosts.ts'
import { buildServerIdentity, type ServerIdentity } from './server-identity.ts'

export interface KeyMaterialOptions {
  /** The key directory, `<dataDir>/keys`. */
  readonly dir: string
  /** Names and addresses under which clients reach the server; localhost, 127.0.0.1 and ::1 are added. */
  readonly hosts: readonly string[]
  readonly now: () => Date
  /** The operator's own server certificate, instead of one of our CA's. */
  readonly configured?: ConfiguredFiles | undefined
}

/** Everything the server needs to show who it is and to issue certificates. */
export interface KeyMaterial {
  /** For `tls.createSecureContext` and `server.setSecureContext`: the chain with its leaf first, and the leaf's key. */
  readonly tls: { readonly cert: string; readonly key: string }
  /** Lower-case hex SHA-1 of the leaf. */
  readonly serverFingerprint: string
  /** The leaf and its key, as the controller shows itself in answers and signs what it hands out. */
  readonly serverIdentity: ServerIdentity
  readonly serverNotAfter: Date
  /** The file that clients have to trust. */
  readonly caFile: string
  /** The certificates of that file and nothing else that may be in it. */
  readonly caBundlePem: string
  /** The same as certs-only PKCS#7 in base64, lines of 64 characters. */
  readonly caPkcs7Base64: string
  /**
   * Our intermediates, which issue every client certificate: the listener asks clients for one of theirs. Without the root OpenSSL
   * finds no client trustworthy, which is ours to judge, and tells what came behind a leaf; of chains that it trusts it does not.
   */
  readonly clientCaPem: string
  /** Every CA whose client certificates count, roots too, DER. */
  readonly authorities: readonly Buffer[]
  readonly trustDomain: string
  /** Our intermediate; undefined while its private key is missing, and then nothing can be issued. */
  readonly issuer: CertificateIssuer | undefined
  /** What the operator should know, one sentence each. */
  readonly warnings: readonly string[]
}

/**
 * Loads the controller's keys and certificates, making the CA on the first start and a server certificate whenever the
 * present one does not do. Throws StartupError with one sentence that names the file at fault.
 */
export async function loadKeyMaterial(options: KeyMaterialOptions): Promise<KeyMaterial> {
  if (await isKeyDirectoryEmpty(options.dir)) await createAuthority(options.dir, options.now())
  return reloadKeyMaterial(options)
}

/** Like `loadKeyMaterial`, for a controller that runs: it never makes a new CA. */
export async function reloadKeyMaterial({ dir, hosts, now, configured }: KeyMaterialOptions): Promise<KeyMaterial> {
  const authority = await loadAuthority(dir, now())
  const authorityCertificates = [authority.root, authority.intermediate, ...authority.further]
  const issuers = authorityCertificates.filter((certificate) => !isSelfSigned(certificate))
  const serverHosts = buildServerHosts(hosts)
  const { server, ca, warnings } = configured
    ? await loadConfiguredCertificate(configured, serverHosts, now())
    : {
        server: await loadOwnServerCertificate(dir, authority, serverHosts, now()),
        ca: authorityCertificates,
        warnings: [],
      }
  return {
    ...describeServer(server),
    caFile: configured?.caFile ?? join(dir, KEY_FILES.ca),
    caBundlePem: formatCertificates(ca),
    caPkcs7Base64: wrapBase64(buildCertsOnlyPkcs7(ca.map(({ raw }) => raw))),
    clientCaPem: formatCertificates(issuers),
    authorities: authorityCertificates.map(({ raw }) => raw),
    trustDomain: authority.trustDomain,
    issuer: authority.issuer,
    warnings: authority.issuer ? warnings : [...warnings, describeMissingKey(dir)],
  }
}

function describeServer({ chain, leaf, key }: ServerCertificate) {
  const serverIdentity = buildServerIdentity(leaf, key)
  return {
    tls: { cert: formatCertificates(chain), key: formatPrivateKey(key) },
    serverFingerprint: serverIdentity.fingerprint,
    serverIdentity,
    serverNotAfter: leaf.validToDate,
  }
}

function describeMissingKey(dir: string): string {
  return `the private key ${join(dir, KEY_FILES.intermediateKey)} is missing: no certificate can be issued or renewed`
}

function isSelfSigned(certificate: X509Certificate): boolean {
  return certificate.verify(certificate.publicKey)
}

function formatCertificates(certificates: readonly X509Certificate[]): string {
  return certificates.map(({ raw }) => formatPem('CERTIFICATE', raw)).join('')
}
