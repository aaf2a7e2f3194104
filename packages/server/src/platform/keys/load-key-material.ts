import type { X509Certificate } from 'node:crypto'
import { join } from 'node:path'
import { buildCertsOnlyPkcs7, type CertificateIssuer, formatPem, wrapBase64 } from '@countersign/core'
import { createAuthority, loadAuthority } from './certificate-authority.ts'
import { type ConfiguredFiles, loadConfiguredCertificate } from './configured-certificate.ts'
import type { RolloverPlan } from './intermediates.ts'
import { isKeyDirectoryEmpty, KEY_FILES } from './key-directory.ts'
import { formatPrivateKey } from './load-pem-file.ts'
import { loadOwnServerCertificate, type ServerCertificate } from './server-certificate.ts'
import { buildServerHosts } from './server-hosts.ts'
import { buildServerIdentity, type ServerIdentity } from './server-identity.ts'

export interface KeyMaterialOptions {
  /** The key directory, `<dataDir>/keys`. */
  readonly dir: string
  /** Host names and IP addresses of the server for clients; localhost, 127.0.0.1 and ::1 are added. */
  readonly hosts: readonly string[]
  readonly now: () => Date
  /** The operator's own server certificate, instead of one from our CA. */
  readonly configured?: ConfiguredFiles | undefined
  /** When intermediates follow each other. By default there is one. */
  readonly plan?: RolloverPlan
}

/** The server's certificate and keys, and the CA. */
export interface KeyMaterial {
  /** For `tls.createSecureContext` and `server.setSecureContext`: the chain with its leaf first, and the leaf's key. */
  readonly tls: { readonly cert: string; readonly key: string }
  /** Lower-case hex SHA-1 of the leaf. */
  readonly serverFingerprint: string
  /** The leaf and its key, for responses that show the certificate and for tokens that the controller signs. */
  readonly serverIdentity: ServerIdentity
  readonly serverNotAfter: Date
  /** The CA file that clients must trust. */
  readonly caFile: string
  /** The certificates of that file, without its other content. */
  readonly caBundlePem: string
  /** The same as certs-only PKCS#7 in base64, lines of 64 characters. */
  readonly caPkcs7Base64: string
  /**
   * Our intermediates, which issue every client certificate: the CAs that the listener names in its certificate request. The root is left out
   * on purpose: OpenSSL then trusts no chain and reports all certificates that the client sent, which it does not for a trusted chain. We verify
   * the chain ourselves.
   */
  readonly clientCaPem: string
  /** Every CA whose client certificates are accepted, including roots, DER. */
  readonly authorities: readonly Buffer[]
  readonly trustDomain: string
  /** Our intermediate; undefined while its private key is missing: then nothing can be issued. */
  readonly issuer: CertificateIssuer | undefined
  /** Our intermediates that no longer issue: their certificates and revocation lists are still valid. */
  readonly earlierIssuers: readonly CertificateIssuer[]
  /** Warnings for the operator, one sentence each. */
  readonly warnings: readonly string[]
}

/**
 * Loads the controller's keys and certificates. Creates the CA on the first start, and a server certificate whenever the current one is
 * unusable. Throws a StartupError with one sentence that names the faulty file.
 */
export async function loadKeyMaterial(options: KeyMaterialOptions): Promise<KeyMaterial> {
  if (await isKeyDirectoryEmpty(options.dir)) await createAuthority(options.dir, options.now())
  return reloadKeyMaterial(options)
}

/** Like `loadKeyMaterial`, for a running controller: never creates a CA. */
export async function reloadKeyMaterial({
  dir,
  hosts,
  now,
  configured,
  plan,
}: KeyMaterialOptions): Promise<KeyMaterial> {
  const authority = await loadAuthority(dir, now(), plan)
  const authorityCertificates = [authority.root, ...authority.intermediates, ...authority.further]
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
    earlierIssuers: authority.earlierIssuers,
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
