import { type CertificateDigests, certificateDigests } from './certificate-digests.ts'
import type { IssuerFacts } from './certificate-plan.ts'
import { createDerCursor, readOid } from './der-cursor.ts'
import { DerError, type DerNode, readDer, TAG } from './der-reader.ts'
import { readIssuerFacts } from './issue-certificate.ts'
import { OID } from './object-identifiers.ts'
import { type ParsedCertificate, parseCertificate } from './parse-certificate.ts'
import { isIssuedBy } from './sign-certificate.ts'

/** A certificate that somebody presents as his own, read but not yet judged. */
export interface LeafCertificate extends CertificateDigests {
  readonly parsed: ParsedCertificate
  readonly isCa: boolean
  /** Whether its extended key usage names the authentication of clients. */
  readonly isForClients: boolean
}

/** What is wrong with a leaf. Closed: decisions use these words. */
export type LeafFault =
  | 'certificate-foreign'
  | 'certificate-not-for-clients'
  | 'certificate-not-yet-valid'
  | 'certificate-expired'

/** Reads one certificate in DER. Undefined for anything that is none in strict DER. */
export function readLeafCertificate(der: Buffer): LeafCertificate | undefined {
  try {
    const parsed = parseCertificate(der)
    return { parsed, ...certificateDigests(parsed), isCa: isCa(parsed), isForClients: isForClients(parsed) }
  } catch (error) {
    if (error instanceof DerError) return undefined
    throw error
  }
}

/** Judges a leaf by itself, its dates aside: somebody else may have the last word on those. */
export function findLeafFault(leaf: LeafCertificate, authorities: readonly Buffer[]): LeafFault | undefined {
  if (!isIssuedByOneOf(leaf, authorities)) return 'certificate-foreign'
  return leaf.isCa || !leaf.isForClients ? 'certificate-not-for-clients' : undefined
}

/** `allowExpired` forgives the end of a certificate, never its beginning. */
export function findDateFault(
  { parsed: { notBefore, notAfter } }: LeafCertificate,
  now: number,
  allowExpired: boolean,
): LeafFault | undefined {
  if (now < notBefore.getTime()) return 'certificate-not-yet-valid'
  return now > notAfter.getTime() && !allowExpired ? 'certificate-expired' : undefined
}

/** Certificates that came with the leaf have no say in this. */
function isIssuedByOneOf({ parsed }: LeafCertificate, authorities: readonly Buffer[]): boolean {
  return authorities.some((authority) => isIssuedBy(parsed, factsOf(authority)))
}

/** An authority stays the same bytes for years: it is read once. */
const knownFacts = new WeakMap<Buffer, IssuerFacts>()

function factsOf(authority: Buffer): IssuerFacts {
  const known = knownFacts.get(authority)
  if (known) return known
  const facts = readIssuerFacts(authority)
  knownFacts.set(authority, facts)
  return facts
}

function isCa({ extensions }: ParsedCertificate): boolean {
  const constraints = extensions.get(OID.basicConstraints)
  if (!constraints) return false
  const [flag] = readList(constraints.value, 'the basic constraint').children
  return flag?.tag === TAG.boolean && flag.content[0] === 0xff
}

function isForClients({ extensions }: ParsedCertificate): boolean {
  const usages = extensions.get(OID.extendedKeyUsage)
  if (!usages) return false
  const ids = createDerCursor(readList(usages.value, 'the extended key usage')).takeRest(TAG.oid)
  return ids.some((id) => readOid(id) === OID.clientAuth)
}

function readList(value: Buffer, what: string): DerNode {
  const list = readDer(value)
  if (list.tag !== TAG.sequence) throw new DerError(`${what} is no list`)
  return list
}
