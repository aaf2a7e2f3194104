import { createPublicKey, generateKeyPairSync, type KeyObject, X509Certificate } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { buildSpiffeUri, formatPem, issueCertificate } from '@countersign/core'
import { StartupError } from '../startup-error.ts'
import { type CertificateAuthority, formatPrivateKey, isPresent } from './certificate-authority.ts'
import { KEY_FILES } from './key-directory.ts'
import { loadCertificates, loadPrivateKey } from './load-pem-file.ts'
import { buildHostAltNames, findUncoveredHost } from './server-hosts.ts'
import { OWNER_ONLY, WORLD_READABLE, writeFileAtomically } from './write-file-atomically.ts'

/** What the server shows to its clients: the chain with its leaf first, and the leaf's key. */
export interface ServerCertificate {
  readonly chain: readonly X509Certificate[]
  readonly leaf: X509Certificate
  readonly key: KeyObject
}

const SUBJECT = { commonName: 'Countersign controller' }
/** A certificate is replaced once less than this part of its life is left. */
const RENEWAL_PART = 1 / 3

/**
 * Loads the server certificate of our own CA, or issues a new one for the same key when there is none, when it does not
 * stand for all hosts, or when its end is near. Throws StartupError naming the file when key and certificate do not fit.
 */
export async function loadOwnServerCertificate(
  dir: string,
  authority: CertificateAuthority,
  hosts: readonly string[],
  now: Date,
): Promise<ServerCertificate> {
  const present = await loadPresent(dir)
  if (present && isGoodFor(present.leaf, authority, hosts, now)) return present
  if (authority.issuer) return issueServerCertificate(dir, authority, hosts, now)
  const file = join(dir, KEY_FILES.intermediateKey)
  if (present && present.leaf.validToDate > now) return present
  throw new StartupError(`a server certificate is needed but the private key ${file} of the CA is missing`)
}

function isGoodFor(
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

/** The instant from which on a certificate is to be replaced. */
function renewalTimeOf({ validFromDate, validToDate }: X509Certificate): Date {
  const lifeMs = validToDate.getTime() - validFromDate.getTime()
  return new Date(validToDate.getTime() - lifeMs * RENEWAL_PART)
}

async function loadPresent(dir: string): Promise<ServerCertificate | undefined> {
  const [certFile, keyFile] = [join(dir, KEY_FILES.serverCertificate), join(dir, KEY_FILES.serverKey)]
  if (!(await isPresent(certFile)) || !(await isPresent(keyFile))) return undefined
  return loadServerCertificate(certFile, keyFile)
}

/** Loads a chain and its key. Throws StartupError naming the file that cannot be read or does not fit. */
export async function loadServerCertificate(certFile: string, keyFile: string): Promise<ServerCertificate> {
  const chain = await loadCertificates(certFile)
  const key = await loadPrivateKey(keyFile)
  const leaf = chain[0]
  if (leaf?.checkPrivateKey(key)) return { chain, leaf, key }
  throw new StartupError(`the private key ${keyFile} does not belong to the first certificate of ${certFile}`)
}

/** The key stays the same over renewals, so that one rename of one file is the whole change. */
async function issueServerCertificate(
  dir: string,
  { issuer, intermediate, trustDomain }: CertificateAuthority,
  hosts: readonly string[],
  now: Date,
): Promise<ServerCertificate> {
  if (!issuer) throw new TypeError('a CA without its key issues nothing')
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
  // A certificate without its key is of no use, and next to a new key it would look like a mistake after a crash.
  await rm(join(dir, KEY_FILES.serverCertificate), { force: true })
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  await writeFileAtomically(file, formatPrivateKey(privateKey), OWNER_ONLY)
  return privateKey
}
