import { generateKeyPairSync, type KeyObject, X509Certificate } from 'node:crypto'
import { join } from 'node:path'
import {
  buildSpiffeUri,
  createIssuer,
  createSigner,
  type DistinguishedName,
  findPemBlocks,
  formatPem,
  issueCertificate,
} from '@countersign/core'
import { StartupError } from '../startup-error.ts'
import { KEY_FILES } from './key-directory.ts'
import { formatPrivateKey, isPresent, readPrivateFile, readPrivateKey } from './load-pem-file.ts'
import { OWNER_ONLY, writeFileAtomically } from './write-file-atomically.ts'

/** An intermediate CA with its private key. */
export interface Intermediate {
  readonly certificate: X509Certificate
  readonly key: KeyObject
}

/** When intermediates follow each other. */
export interface RolloverPlan {
  /** How long one issues certificates; 0 for ever. */
  readonly rolloverDays: number
  /** How long one is published before it issues. */
  readonly overlapDays: number
  /** The validity of the certificates that it issues. */
  readonly clientDays: number
}

export const NO_ROLLOVER: RolloverPlan = { rolloverDays: 0, overlapDays: 0, clientDays: 0 }

const DAY_MS = 24 * 60 * 60 * 1000
/** For clients that renew late, and for clocks. */
const SPARE_DAYS = 30

/** The intermediates that have followed the first one, which is in `ca.pem`. Throws a StartupError that names the file. */
export async function loadIntermediates(dir: string): Promise<Intermediate[]> {
  const file = join(dir, KEY_FILES.intermediates)
  if (!(await isPresent(file))) return []
  return parseIntermediates(await readPrivateFile(file, 'private key'), file)
}

/** Parses certificates that are each followed by their key. Throws a StartupError that names `source`. */
export function parseIntermediates(pem: string, source: string): Intermediate[] {
  const ders = findPemBlocks(pem, 'CERTIFICATE') ?? []
  const keys = pem.match(/-----BEGIN PRIVATE KEY-----[^-]*-----END PRIVATE KEY-----/g) ?? []
  if (ders.length === 0 || ders.length !== keys.length) {
    throw new StartupError(`${source} must hold intermediate certificates, each followed by its private key`)
  }
  return ders.map((der, at) => {
    const certificate = new X509Certificate(der)
    const key = readPrivateKey(keys[at] ?? '', source)
    if (certificate.ca && certificate.checkPrivateKey(key)) return { certificate, key }
    throw new StartupError(`a private key in ${source} does not belong to its certificate`)
  })
}

export function formatIntermediate({ certificate, key }: Intermediate): string {
  return formatPem('CERTIFICATE', certificate.raw) + formatPrivateKey(key)
}

export async function writeIntermediates(dir: string, intermediates: readonly Intermediate[]): Promise<void> {
  const text = intermediates.map(formatIntermediate).join('')
  await writeFileAtomically(join(dir, KEY_FILES.intermediates), text, OWNER_ONLY)
}

/** Whether the next intermediate must be created, so that it is published long enough before it issues. */
export function isRolloverDue(newest: X509Certificate, plan: RolloverPlan, now: Date): boolean {
  const { rolloverDays } = plan
  if (rolloverDays === 0) return false
  const dueAt = newest.validFromDate.getTime() + (rolloverDays - overlapDaysOf(plan)) * DAY_MS
  return now.getTime() >= dueAt
}

/** From when on an intermediate issues certificates. All nodes follow the same rule, so that no switch is needed. */
export function issuesFrom(certificate: X509Certificate, plan: RolloverPlan): number {
  return certificate.validFromDate.getTime() + overlapDaysOf(plan) * DAY_MS
}

/** At most half of the time between two intermediates. */
function overlapDaysOf({ rolloverDays, overlapDays }: RolloverPlan): number {
  return rolloverDays === 0 ? overlapDays : Math.min(overlapDays, rolloverDays / 2)
}

/** Creates the next intermediate under the root. It outlives the certificates that it issues. */
export async function createIntermediate(
  root: { readonly certificate: X509Certificate; readonly key: KeyObject; readonly trustDomain: string },
  subject: DistinguishedName,
  plan: RolloverPlan,
  now: Date,
): Promise<Intermediate> {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const days = plan.rolloverDays + plan.overlapDays + plan.clientDays + SPARE_DAYS
  const altNames = [buildSpiffeUri(root.trustDomain)]
  const request = { profile: 'intermediateCa', subject, publicKey, altNames, lifetimeMs: days * DAY_MS } as const
  const der = await issueCertificate(request, createIssuer(root.certificate.raw, createSigner(root.key)), now)
  return { certificate: new X509Certificate(der), key: privateKey }
}
