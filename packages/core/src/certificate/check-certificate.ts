import { admitPublicKey } from '../key/admit-public-key.ts'
import type { AltName } from './alt-name.ts'
import { computeKeyId } from './build-extensions.ts'
import type { CertificatePlan } from './certificate-plan.ts'
import { CERTIFICATE_PROFILES, type CertificateProfile, keyUsageFor } from './certificate-profiles.ts'
import { getOnlyChild, readOid } from './der-cursor.ts'
import { readDer, TAG } from './der-reader.ts'
import { OID } from './object-identifiers.ts'
import { parseTbsCertificate, type TbsCertificate } from './parse-certificate.ts'

type Rule = readonly [rule: string, holds: (tbs: TbsCertificate, plan: CertificatePlan, now: Date) => boolean]

const MIN_SERIAL_BYTES = 8
const MAX_SERIAL_BYTES = 20
const CRITICAL_EXTENSIONS: ReadonlySet<string> = new Set([OID.basicConstraints, OID.keyUsage])

/** Each rule checks the bytes to sign, not the values that they were built from. */
const RULES: readonly Rule[] = [
  ['the serial is positive and has 8 to 20 bytes', ({ serial }) => isValidSerial(serial)],
  ['the serial is the planned one', (tbs, plan) => tbs.serial.equals(plan.serial)],
  ['the certificate is already valid', (tbs, _plan, now) => tbs.notBefore <= now],
  ['the certificate has not expired', (tbs, _plan, now) => tbs.notAfter > now],
  ['the dates are the planned ones', hasPlannedDates],
  ['it does not outlive its issuer', (tbs, plan) => !plan.issuer || tbs.notAfter <= plan.issuer.notAfter],
  ['the issuer is the planned one', (tbs, plan) => tbs.issuer.equals(plan.issuer?.name ?? tbs.subject)],
  ['the subject is the planned one', hasPlannedSubject],
  ['the key is admitted', (_tbs, plan) => admitPublicKey(plan.publicKey).ok],
  ['the key is the planned one', (tbs, plan) => tbs.publicKeyInfo.bytes.equals(plan.publicKeyInfo)],
  ['there is no other extension', hasPlannedExtensions],
  ['critical extensions are marked critical', hasCriticalMarks],
  ['the basic constraints match the profile', hasProfileConstraints],
  ['the key usage matches the profile', hasProfileKeyUsage],
  ['the extended key usage matches the profile', hasProfileExtendedKeyUsage],
  ['the key identifiers are correct', hasKeyIdentifiers],
  ['the alternative names are the planned ones', hasPlannedAltNames],
  ['the distribution point is the planned one', hasPlannedDistributionPoint],
]

/**
 * Checks the bytes to sign against the plan and its profile, independently of how they were built. Throws a plain Error
 * that names the violated rule: a violation is a bug, and the bytes must not be signed.
 */
export function checkCertificate(tbs: Buffer, plan: CertificatePlan, now: Date): void {
  const parsed = parseTbsCertificate(tbs)
  for (const [rule, holds] of RULES) {
    if (!holds(parsed, plan, now)) throw new Error(`the built certificate violates a rule: ${rule}`)
  }
}

function isValidSerial(serial: Buffer): boolean {
  return serial.length >= MIN_SERIAL_BYTES && serial.length <= MAX_SERIAL_BYTES && (serial[0] ?? 0xff) < 0x80
}

function hasPlannedDates({ notBefore, notAfter }: TbsCertificate, plan: CertificatePlan): boolean {
  return notBefore.getTime() === plan.notBefore.getTime() && notAfter.getTime() === plan.notAfter.getTime()
}

function hasPlannedSubject({ subjectAttributes }: TbsCertificate, { subject }: CertificatePlan): boolean {
  const found = subjectAttributes.map(({ type, value }) => `${type}=${value}`)
  const organization = subject.organization === undefined ? [] : [`${OID.organization}=${subject.organization}`]
  return isSameList(found, [...organization, `${OID.commonName}=${subject.commonName}`])
}

function hasPlannedExtensions({ extensions }: TbsCertificate, plan: CertificatePlan): boolean {
  const planned: string[] = [
    OID.basicConstraints,
    OID.keyUsage,
    OID.subjectKeyIdentifier,
    OID.authorityKeyIdentifier,
    ...(profileOf(plan).extendedKeyUsage.length > 0 ? [OID.extendedKeyUsage] : []),
    ...(plan.altNames.length > 0 ? [OID.subjectAltName] : []),
    ...(plan.revocationListUrl === undefined ? [] : [OID.crlDistributionPoints]),
  ]
  return isSameList([...extensions.keys()].toSorted(), planned.toSorted())
}

function hasCriticalMarks({ extensions }: TbsCertificate): boolean {
  return [...extensions].every(([id, { critical }]) => critical === CRITICAL_EXTENSIONS.has(id))
}

function hasProfileConstraints(tbs: TbsCertificate, plan: CertificatePlan): boolean {
  const { isCa, pathLength } = profileOf(plan)
  const [flag, length] = extensionNode(tbs, OID.basicConstraints)?.children ?? []
  return (flag?.content[0] === 0xff) === isCa && length?.content[0] === pathLength
}

function hasProfileKeyUsage(tbs: TbsCertificate, plan: CertificatePlan): boolean {
  const bits = extensionNode(tbs, OID.keyUsage)?.content.subarray(1) ?? Buffer.alloc(0)
  const set = Array.from({ length: bits.length * 8 }, (_, bit) => bit).filter((bit) => hasBit(bits, bit))
  return isSameList(set, keyUsageFor(profileOf(plan), plan.publicKey))
}

function hasProfileExtendedKeyUsage(tbs: TbsCertificate, plan: CertificatePlan): boolean {
  const found = extensionNode(tbs, OID.extendedKeyUsage)?.children.map(readOid) ?? []
  return isSameList(found, profileOf(plan).extendedKeyUsage)
}

function hasKeyIdentifiers(tbs: TbsCertificate, plan: CertificatePlan): boolean {
  const subject = extensionNode(tbs, OID.subjectKeyIdentifier)
  const authority = extensionNode(tbs, OID.authorityKeyIdentifier)
  if (subject?.tag !== TAG.octetString || !authority) return false
  const issuerKeyInfo = plan.issuer?.publicKeyInfo ?? plan.publicKeyInfo
  return (
    subject.content.equals(computeKeyId(plan.publicKeyInfo)) &&
    getOnlyChild(authority, 0x80).content.equals(computeKeyId(issuerKeyInfo))
  )
}

function hasPlannedAltNames(tbs: TbsCertificate, { altNames }: CertificatePlan): boolean {
  const found = extensionNode(tbs, OID.subjectAltName)?.children ?? []
  return isSameList(
    found.map(({ tag, content }) => `${tag}:${content.toString('latin1')}`),
    altNames.map(describeAltName),
  )
}

function hasPlannedDistributionPoint(tbs: TbsCertificate, { revocationListUrl }: CertificatePlan): boolean {
  const [point, ...others] = extensionNode(tbs, OID.crlDistributionPoints)?.children ?? []
  if (!point) return revocationListUrl === undefined
  const name = getOnlyChild(getOnlyChild(getOnlyChild(point, 0xa0), 0xa0), 0x86)
  return others.length === 0 && name.content.toString('latin1') === revocationListUrl
}

function describeAltName(altName: AltName): string {
  if (altName.type === 'ip') return `${0x87}:${altName.octets.toString('latin1')}`
  return altName.type === 'dns' ? `${0x82}:${altName.name}` : `${0x86}:${altName.uri}`
}

function extensionNode({ extensions }: TbsCertificate, id: string) {
  const extension = extensions.get(id)
  return extension && readDer(extension.value)
}

function profileOf(plan: CertificatePlan): CertificateProfile {
  return CERTIFICATE_PROFILES[plan.profile]
}

function hasBit(octets: Buffer, bit: number): boolean {
  return ((octets[bit >> 3] ?? 0) & (0x80 >> (bit & 7))) !== 0
}

function isSameList<T>(left: readonly T[], right: readonly T[]): boolean {
  return left.length === right.length && left.every((item, index) => item === right[index])
}
