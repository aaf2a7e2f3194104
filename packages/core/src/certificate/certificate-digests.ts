import { createHash } from 'node:crypto'
import { DerError } from './der-reader.ts'
import { type ParsedCertificate, parseCertificate } from './parse-certificate.ts'
import { findPemBlocks } from './pem.ts'

/** The digests by which a certificate and its key are stored. */
export interface CertificateDigests {
  /** SHA-1 of the certificate in lower-case hex, as existing clients expect. */
  readonly fingerprint: string
  /** SHA-256 of the SubjectPublicKeyInfo in base64url. */
  readonly publicKeyDigest: string
}

export function certificateDigests({ der, publicKeyInfo }: ParsedCertificate): CertificateDigests {
  return {
    fingerprint: createHash('sha1').update(der).digest('hex'),
    publicKeyDigest: createHash('sha256').update(publicKeyInfo.bytes).digest('base64url'),
  }
}

/** The digests of the first certificate in a chain. Throws DerError when there is none. */
export function readLeafDigests(chainPem: string): CertificateDigests {
  return certificateDigests(readLeaf(chainPem))
}

/** When the first certificate in a chain expires. Throws DerError when there is none. */
export function readLeafExpiry(chainPem: string): number {
  return readLeaf(chainPem).notAfter.getTime()
}

function readLeaf(chainPem: string): ParsedCertificate {
  const [leaf] = findPemBlocks(chainPem, 'CERTIFICATE') ?? []
  if (!leaf) throw new DerError('there is no certificate')
  return parseCertificate(leaf)
}
