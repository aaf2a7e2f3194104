import { generateKeyPairSync, type KeyObject, randomBytes, type X509Certificate } from 'node:crypto'
import { access } from 'node:fs/promises'
import { join } from 'node:path'
import {
  buildSpiffeUri,
  type CertificateIssuer,
  createIssuer,
  createSigner,
  formatPem,
  issueCertificate,
  issueSelfSigned,
} from '@countersign/core'
import { StartupError } from '../startup-error.ts'
import { checkKeyDirectory, createKeyDirectory, KEY_FILES } from './key-directory.ts'
import { loadCertificates, loadPrivateKey } from './load-pem-file.ts'
import { OWNER_ONLY, WORLD_READABLE, writeFileAtomically } from './write-file-atomically.ts'

/** The controller's own CA: the root that clients trust and the intermediate that signs. */
export interface CertificateAuthority {
  readonly root: X509Certificate
  readonly intermediate: X509Certificate
  /** Certificates of the next or the previous CA: in the bundle for clients, and their client certificates are accepted. */
  readonly further: readonly X509Certificate[]
  readonly trustDomain: string
  /** Undefined when the intermediate's key is not on this machine: then nothing can be issued. */
  readonly issuer: CertificateIssuer | undefined
}

const ORGANIZATION = 'Countersign'
const SPIFFE_PREFIX = 'URI:spiffe://'
const NEW_CA_HINT =
  'restore it from a backup, or move the directory away to create a new CA, which every client then has to trust'

/** Creates a root and an intermediate with a new trust domain and writes them, all or nothing. */
export async function createAuthority(dir: string, now: Date): Promise<void> {
  const number = randomBytes(8).toString('hex')
  const rootKeys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const intermediateKeys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const sign = createSigner(rootKeys.privateKey)
  const altNames = [buildSpiffeUri(`countersign-${number}`)]
  const subject = (name: string) => ({ commonName: `Countersign ${name} CA ${number}`, organization: ORGANIZATION })
  const root = await issueSelfSigned(
    { profile: 'rootCa', subject: subject('Root'), publicKey: rootKeys.publicKey, altNames },
    sign,
    now,
  )
  const intermediate = await issueCertificate(
    { profile: 'intermediateCa', subject: subject('Intermediate'), publicKey: intermediateKeys.publicKey, altNames },
    createIssuer(root, sign),
    now,
  )
  const [rootPem, intermediatePem] = [formatPem('CERTIFICATE', root), formatPem('CERTIFICATE', intermediate)]
  await createKeyDirectory(dir, async (staging) => {
    const write = (name: string, text: string, mode: number) => writeFileAtomically(join(staging, name), text, mode)
    await write(KEY_FILES.rootKey, formatPrivateKey(rootKeys.privateKey), OWNER_ONLY)
    await write(KEY_FILES.intermediateKey, formatPrivateKey(intermediateKeys.privateKey), OWNER_ONLY)
    await write(KEY_FILES.intermediateCertificate, intermediatePem, WORLD_READABLE)
    await write(KEY_FILES.ca, rootPem + intermediatePem, WORLD_READABLE)
  })
}

/** Loads the CA and checks that its keys and certificates match. Throws a StartupError that names the wrong file. */
export async function loadAuthority(dir: string, now: Date): Promise<CertificateAuthority> {
  await checkKeyDirectory(dir)
  const path = (name: string) => join(dir, name)
  if (!(await isPresent(path(KEY_FILES.ca)))) {
    throw new StartupError(`the CA certificate ${path(KEY_FILES.ca)} is missing`, NEW_CA_HINT)
  }
  const { root, intermediate } = await loadChain(path(KEY_FILES.ca), path(KEY_FILES.intermediateCertificate))
  if (intermediate.validToDate <= now) {
    throw new StartupError(`the CA certificate ${path(KEY_FILES.ca)} has expired`, NEW_CA_HINT)
  }
  await loadMatchingKey(path(KEY_FILES.rootKey), root)
  const key = await loadMatchingKey(path(KEY_FILES.intermediateKey), intermediate)
  const issuer = key && createIssuer(intermediate.raw, createSigner(key))
  const further = await loadFurther(path(KEY_FILES.furtherCas))
  return { root, intermediate, further, trustDomain: readTrustDomain(root, path(KEY_FILES.ca)), issuer }
}

/** PKCS#8 PEM. */
export function formatPrivateKey(key: KeyObject): string {
  return key.export({ format: 'pem', type: 'pkcs8' }).toString()
}

export async function isPresent(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  )
}

async function loadChain(caFile: string, intermediateFile: string) {
  const [root, intermediate, ...others] = await loadCertificates(caFile)
  const [copy] = await loadCertificates(intermediateFile)
  const isChain =
    root && intermediate && others.length === 0 && root.verify(root.publicKey) && intermediate.verify(root.publicKey)
  if (!isChain) throw new StartupError(`${caFile} must hold the root and then the intermediate that it signed`)
  if (copy?.fingerprint256 !== intermediate.fingerprint256) {
    throw new StartupError(`${intermediateFile} is not the intermediate certificate of ${caFile}`)
  }
  return { root, intermediate }
}

/** Only CA certificates are accepted: the certificates that they have issued can log identities in. */
async function loadFurther(file: string): Promise<readonly X509Certificate[]> {
  if (!(await isPresent(file))) return []
  const certificates = await loadCertificates(file)
  if (certificates.every(({ ca }) => ca)) return certificates
  throw new StartupError(`${file} holds a certificate that is not a CA certificate`)
}

/** A missing key is no error: the root key is best kept offline, and without the intermediate's nothing can be issued. */
async function loadMatchingKey(path: string, certificate: X509Certificate): Promise<KeyObject | undefined> {
  if (!(await isPresent(path))) return undefined
  const key = await loadPrivateKey(path)
  if (certificate.checkPrivateKey(key)) return key
  throw new StartupError(`the private key ${path} does not belong to its certificate`)
}

function readTrustDomain(root: X509Certificate, caFile: string): string {
  const names = root.subjectAltName?.split(', ') ?? []
  const uri = names.find((name) => name.startsWith(SPIFFE_PREFIX))
  if (!uri) throw new StartupError(`the root certificate in ${caFile} names no trust domain`)
  return uri.slice(SPIFFE_PREFIX.length)
}
