import { type CertificateDigests, certificateDigests } from './certificate-digests.ts'
import type { IssuerFacts } from './certificate-plan.ts'
import { createDerCursor, readOid } from './der-cursor.ts'
import { DerError, type DerNode, readDer, TAG } from './der-reader.ts'
import { readIssuerFacts } from './issue-certificate.ts'
import { OID } from './object-identifiers.ts'
import { type ParsedCertificate, parseCertificate } from './parse-certificate.ts'
import { isIssuedBy } from './sign-certificate.ts'

/** A parsed client certificate that is not yet verified. */
export interface LeafCertificate extends CertificateDigests {
  readonly parsed: ParsedCertificate
  readonly isCa: boolean
  /** Whether its extended key usage includes client authentication. */
  readonly isForClients: boolean
}

/** Why a leaf is refused. A closed set: decisions use these values. */
export type LeafFault =
  | 'certificate-foreign'
  | 'certificate-not-for-clients'
  | 'certificate-not-yet-valid'
  | 'certificate-expired'

/** Parses one certificate. Undefined when it is not strict DER. */
export function readLeafCertificate(der: Buffer): LeafCertificate | undefined {
  try {
    const parsed = parseCertificate(der)
    return { parsed, ...certificateDigests(parsed), isCa: isCa(parsed), isForClients: isForClients(parsed) }
  } catch (error) {
    if (error instanceof DerError) return undefined
    throw error
  }
}

/** Checks a leaf without its dates, on which a policy can have a say. */
export function findLeafFault(leaf: LeafCertificate, authorities: readonly Buffer[]): LeafFault | undefined {
  if (!isIssuedByOneOf(leaf, authorities)) return 'certificate-foreign'
  return leaf.isCa || !leaf.isForClients ? 'certificate-not-for-clients' : undefined
}

/** Checks the dates. `allowExpired` allows an expired certificate, never one that is not yet valid. */
export function findDateFault(
  { parsed: { notBefore, notAfter } }: LeafCertificate,
  now: number,
  allowExpired: boolean,
): LeafFault | undefined {
  if (now < notBefore.getTime()) return 'certificate-not-yet-valid'
  return now > notAfter.getTime() && !allowExpired ? 'certificate-expired' : undefined
}

/** Ignores the chain that the client sent. */
function isIssuedByOneOf({ parsed }: LeafCertificate, authorities: readonly Buffer[]): boolean {
  return authorities.some((authority) => isIssuedBy(parsed, factsOf(authority)))
}

/** Cached, because authorities rarely change. */
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
  if (list.tag !== TAG.sequence) throw new DerError(`${what} is not a sequence`)
  return list
}
