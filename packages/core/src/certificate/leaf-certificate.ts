import { type CertificateDigests, certificateDigests } from './certificate-digests.ts'
import {
  allowsClientAuth,
  allowsKeyUsage,
  hasUnsupportedExtension,
  readAltNames,
  readBasicConstraints,
  readExtendedKeyUsages,
} from './certificate-extensions.ts'
import type { IssuerFacts } from './certificate-plan.ts'
import { DerError } from './der-reader.ts'
import { readIssuerFacts } from './issue-certificate.ts'
import { OID } from './object-identifiers.ts'
import { MAX_CERTIFICATE_BYTES, type ParsedCertificate, parseCertificate } from './parse-certificate.ts'
import { isIssuedBy } from './sign-certificate.ts'

/** A parsed client certificate that is not yet verified. */
export interface LeafCertificate extends CertificateDigests {
  readonly parsed: ParsedCertificate
  readonly isCa: boolean
  /** Whether its extended key usage includes client authentication. */
  readonly isForClients: boolean
  /** The same for certificates of other CAs: they need not have the extension, but no extension may exclude client authentication. */
  readonly mayAuthenticateClients: boolean
}

/** Why a leaf is refused. A closed set: decisions use these values. */
export type LeafFault =
  | 'certificate-foreign'
  | 'certificate-not-for-clients'
  | 'certificate-not-yet-valid'
  | 'certificate-expired'

/** Parses one certificate. Undefined when it is not strict DER, its names are malformed, or it is longer than certificates are. */
export function readLeafCertificate(der: Buffer): LeafCertificate | undefined {
  try {
    if (der.length > MAX_CERTIFICATE_BYTES) return undefined
    const parsed = parseCertificate(der)
    return { parsed, ...certificateDigests(parsed), ...usesOf(parsed) }
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

function usesOf(parsed: ParsedCertificate) {
  const usages = readExtendedKeyUsages(parsed)
  // Malformed names throw here, so that later readers of them need not expect that.
  readAltNames(parsed, 'email')
  readAltNames(parsed, 'uri')
  const isUsable = allowsClientAuth(parsed) && allowsKeyUsage(parsed, 'digitalSignature')
  return {
    isCa: readBasicConstraints(parsed).isCa,
    isForClients: usages?.includes(OID.clientAuth) ?? false,
    mayAuthenticateClients: isUsable && !hasUnsupportedExtension(parsed),
  }
}
