import { generateKeyPairSync, type KeyObject, randomBytes, type X509Certificate } from 'node:crypto'
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
import { type Intermediate, issuesFrom, loadIntermediates, NO_ROLLOVER, type RolloverPlan } from './intermediates.ts'
import { checkKeyDirectory, createKeyDirectory, KEY_FILES } from './key-directory.ts'
import { formatPrivateKey, isPresent, loadCertificates, loadPrivateKey } from './load-pem-file.ts'
import { OWNER_ONLY, WORLD_READABLE, writeFileAtomically } from './write-file-atomically.ts'

/** The controller's own CA: the root that clients trust and the intermediate that signs. */
export interface CertificateAuthority {
  readonly root: X509Certificate
  /** The one that issues now. */
  readonly intermediate: X509Certificate
  /** All that have not expired, also the next one. */
  readonly intermediates: readonly X509Certificate[]
  /** Certificates of the next or the previous CA: in the bundle for clients, and their client certificates are accepted. */
  readonly further: readonly X509Certificate[]
  readonly trustDomain: string
  /** Undefined when the intermediate's key is not on this machine: then nothing can be issued. */
  readonly issuer: CertificateIssuer | undefined
  /** The other intermediates whose keys are on this machine. */
  readonly earlierIssuers: readonly CertificateIssuer[]
  /** Undefined when the root's key is not on this machine: then no intermediate can be created. */
  readonly rootKey: KeyObject | undefined
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
export async function loadAuthority(
  dir: string,
  now: Date,
  plan: RolloverPlan = NO_ROLLOVER,
): Promise<CertificateAuthority> {
  await checkKeyDirectory(dir)
  const path = (name: string) => join(dir, name)
  if (!(await isPresent(path(KEY_FILES.ca)))) {
    throw new StartupError(`the CA certificate ${path(KEY_FILES.ca)} is missing`, NEW_CA_HINT)
  }
  const { root, intermediate: first } = await loadChain(path(KEY_FILES.ca), path(KEY_FILES.intermediateCertificate))
  const rootKey = await loadMatchingKey(path(KEY_FILES.rootKey), root)
  const firstKey = await loadMatchingKey(path(KEY_FILES.intermediateKey), first)
  const later = await loadIntermediates(dir)
  const foreign = later.find(({ certificate }) => !certificate.verify(root.publicKey))
  if (foreign) throw new StartupError(`${path(KEY_FILES.intermediates)} holds a certificate that the root did not sign`)
  const known = [{ certificate: first, key: firstKey }, ...later]
  const current = findCurrent(known, plan, now)
  if (!current) throw new StartupError(`the CA certificate ${path(KEY_FILES.ca)} has expired`, NEW_CA_HINT)
  const valid = known.filter(({ certificate }) => certificate.validToDate > now)
  return {
    root,
    intermediate: current.certificate,
    intermediates: valid.map(({ certificate }) => certificate),
    further: await loadFurther(path(KEY_FILES.furtherCas)),
    trustDomain: readTrustDomain(root, path(KEY_FILES.ca)),
    issuer: issuerOf(current),
    earlierIssuers: valid.filter((other) => other !== current).flatMap((other) => issuerOf(other) ?? []),
    rootKey,
  }
}

type KnownIntermediate = Omit<Intermediate, 'key'> & { readonly key: KeyObject | undefined }

/** The newest one that issues already. Its successor issues only after all nodes and clients could learn of it. */
function findCurrent(
  known: readonly KnownIntermediate[],
  plan: RolloverPlan,
  now: Date,
): KnownIntermediate | undefined {
  const valid = known
    .filter(({ certificate }) => certificate.validToDate > now)
    .toSorted((one, other) => issuesFrom(other.certificate, plan) - issuesFrom(one.certificate, plan))
  const [first] = known
  const active = valid.filter((one) => one === first || issuesFrom(one.certificate, plan) <= now.getTime())
  return active[0] ?? valid[0]
}

function issuerOf({ certificate, key }: KnownIntermediate): CertificateIssuer | undefined {
  return key && createIssuer(certificate.raw, createSigner(key))
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
