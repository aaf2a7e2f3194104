/** X.509 on a small DER codec: reads the certificates of signers; builds, checks and signs those of the controller. */

export { type AltName, buildSpiffeUri, findHostAltName } from './alt-name.ts'
export { buildCertsOnlyPkcs7 } from './build-certs-only-pkcs7.ts'
export { buildExtension } from './build-extensions.ts'
export { buildTbsCertificate, joinCertificate, type TbsCertificateParts } from './build-tbs-certificate.ts'
export { type CertificateDigests, certificateDigests, readLeafDigests, readLeafExpiry } from './certificate-digests.ts'
export { readIssuerKeyId } from './certificate-extensions.ts'
export { type CertificateRequest, createSerial } from './certificate-plan.ts'
export { CERTIFICATE_PROFILES, type CertificateProfileName } from './certificate-profiles.ts'
export { DerError } from './der-reader.ts'
export * as der from './der-writer.ts'
export { buildName, type DistinguishedName } from './distinguished-name.ts'
export {
  type AuthorityCertificate,
  type CheckedSignatures,
  findCertificatePath,
  isAdmittedKey,
  isCurrent,
  readAuthorityCertificate,
  readIntermediates,
  type SignatureBudget,
} from './find-certificate-path.ts'
export { handshakeCharge } from './handshake-charge.ts'
export { isQuickToParse } from './is-quick-to-parse.ts'
export { type CertificateIssuer, createIssuer, issueCertificate, issueSelfSigned } from './issue-certificate.ts'
export {
  type ClientCertificate,
  type ClientCertificateRequest,
  issueClientCertificate,
} from './issue-client-certificate.ts'
export {
  findDateFault,
  findLeafFault,
  type LeafCertificate,
  type LeafFault,
  readLeafCertificate,
} from './leaf-certificate.ts'
export { OID } from './object-identifiers.ts'
export { type ParsedCertificate, parseCertificate } from './parse-certificate.ts'
export { findPemBlocks, formatPem, wrapBase64 } from './pem.ts'
export { readSignerCertificate, type SignerCertificate } from './read-certificate.ts'
export { type CsrKey, readCsr } from './read-csr.ts'
export {
  issueRevocationList,
  issuerKeyIdOf,
  REVOCATION_REASONS,
  type RevocationReason,
  type RevokedCertificate,
} from './revocation-list.ts'
export { type CertificateState, revocationReasonOf } from './revocation-reason.ts'
export { createSigner, type SignBytes } from './sign-certificate.ts'
