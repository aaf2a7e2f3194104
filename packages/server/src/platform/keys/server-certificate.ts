import { createPublicKey, generateKeyPairSync, type KeyObject, X509Certificate } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { buildSpiffeUri, formatPem, issueCertificate } from '@countersign/core'
import { StartupError } from '../startup-error.ts'
import type { CertificateAuthority } from './certificate-authority.ts'
import { KEY_FILES } from './key-directory.ts'
import { formatPrivateKey, isPresent, loadCertificates, loadPrivateKey } from './load-pem-file.ts'
import { buildHostAltNames, findUncoveredHost } from './server-hosts.ts'
import { OWNER_ONLY, WORLD_READABLE, writeFileAtomically } from './write-file-atomically.ts'

/** The server's certificate chain, leaf first, and the leaf's key. */
export interface ServerCertificate {
  readonly chain: readonly X509Certificate[]
  readonly leaf: X509Certificate
  readonly key: KeyObject
}

const SUBJECT = { commonName: 'Countersign controller' }
/** A certificate is renewed when less than this fraction of its lifetime is left. */
const RENEWAL_FRACTION = 1 / 3

/**
 * Loads the server certificate from our own CA. Issues a new one for the same key when there is none, when it does not cover all hosts, or
 * when it is due for renewal. Throws a StartupError that names the file when key and certificate do not match.
 */
export async function loadOwnServerCertificate(
  dir: string,
  authority: CertificateAuthority,
  hosts: readonly string[],
  now: Date,
): Promise<ServerCertificate> {
  const current = await loadCurrent(dir)
  if (current && isUsable(current.leaf, authority, hosts, now)) return current
  if (authority.issuer) return issueServerCertificate(dir, authority, hosts, now)
  const file = join(dir, KEY_FILES.intermediateKey)
  if (current && current.leaf.validToDate > now) return current
  throw new StartupError(`a server certificate is needed but the private key ${file} of the CA is missing`)
}

function isUsable(
  leaf: X509Certificate,
  authority: CertificateAuthority,
  hosts: readonly string[],
  now: Date,
): boolean {
  return (
    now >= leaf.validFromDate &&
    now < renewalTimeOf(leaf) &&
    leaf.verify(authority.intermediate.publicKey) &&
    findUncoveredHost(leaf, hosts) === undefined
  )
}

/** When a certificate is due for renewal. */
function renewalTimeOf({ validFromDate, validToDate }: X509Certificate): Date {
  const lifeMs = validToDate.getTime() - validFromDate.getTime()
  return new Date(validToDate.getTime() - lifeMs * RENEWAL_FRACTION)
}

async function loadCurrent(dir: string): Promise<ServerCertificate | undefined> {
  const [certFile, keyFile] = [join(dir, KEY_FILES.serverCertificate), join(dir, KEY_FILES.serverKey)]
  if (!(await isPresent(certFile)) || !(await isPresent(keyFile))) return undefined
  return loadServerCertificate(certFile, keyFile)
}

/** Loads a chain and its key. Throws a StartupError that names the file that cannot be read or does not match. */
export async function loadServerCertificate(certFile: string, keyFile: string): Promise<ServerCertificate> {
  const chain = await loadCertificates(certFile)
  const key = await loadPrivateKey(keyFile)
  const leaf = chain[0]
  if (leaf?.checkPrivateKey(key)) return { chain, leaf, key }
  throw new StartupError(`the private key ${keyFile} does not belong to the first certificate of ${certFile}`)
}

/** Renewals keep the key, so that a renewal is one atomic rename. */
async function issueServerCertificate(
  dir: string,
  { issuer, intermediate, trustDomain }: CertificateAuthority,
  hosts: readonly string[],
  now: Date,
): Promise<ServerCertificate> {
  if (!issuer) throw new TypeError('the CA has no private key')
  const key = await loadOrCreateKey(dir)
  const altNames = [...buildHostAltNames(hosts), buildSpiffeUri(trustDomain, 'controller')]
  const publicKey = createPublicKey(key)
  const leaf = await issueCertificate({ profile: 'tlsServer', subject: SUBJECT, publicKey, altNames }, issuer, now)
  const chain = [new X509Certificate(leaf), intermediate] as const
  const pem = chain.map(({ raw }) => formatPem('CERTIFICATE', raw)).join('')
  await writeFileAtomically(join(dir, KEY_FILES.serverCertificate), pem, WORLD_READABLE)
  return { chain, leaf: chain[0], key }
}

async function loadOrCreateKey(dir: string): Promise<KeyObject> {
  const file = join(dir, KEY_FILES.serverKey)
  if (await isPresent(file)) return loadPrivateKey(file)
  // A certificate without its key is useless, and after a crash it would look like a mismatch with the new key.
  await rm(join(dir, KEY_FILES.serverCertificate), { force: true })
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  await writeFileAtomically(file, formatPrivateKey(privateKey), OWNER_ONLY)
  return privateKey
}
