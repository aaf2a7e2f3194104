import { element, explicitTag, integer, oid, sequence, setOf } from './der-writer.ts'
import { OID } from './object-identifiers.ts'

const VERSION_1 = 1
const IMPLICIT_CERTIFICATES = 0xa0

/** A PKCS #7 SignedData with DER certificates and without signatures (RFC 5652 section 5, RFC 7030 section 4.1.3). */
export function buildCertsOnlyPkcs7(certificates: readonly Buffer[]): Buffer {
  const signedData = sequence(
    integer(VERSION_1),
    setOf(),
    sequence(oid(OID.pkcs7Data)),
    element(IMPLICIT_CERTIFICATES, ...certificates),
    setOf(),
  )
  return sequence(oid(OID.pkcs7SignedData), explicitTag(0, signedData))
}
