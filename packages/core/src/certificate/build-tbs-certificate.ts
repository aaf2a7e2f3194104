import { bitString, explicitTag, integer, sequence, time } from './der-writer.ts'

/** The encoded parts of a certificate before signing. */
export interface TbsCertificateParts {
  readonly serial: Uint8Array
  readonly signatureAlgorithm: Uint8Array
  readonly issuer: Uint8Array
  readonly notBefore: Date
  readonly notAfter: Date
  readonly subject: Uint8Array
  readonly publicKeyInfo: Uint8Array
  readonly extensions: readonly Uint8Array[]
}

const VERSION_3 = 2

/** Joins the parts of a version 3 certificate. Does not check their content. */
export function buildTbsCertificate(parts: TbsCertificateParts): Buffer {
  return sequence(
    explicitTag(0, integer(VERSION_3)),
    integer(parts.serial),
    parts.signatureAlgorithm,
    parts.issuer,
    sequence(time(parts.notBefore), time(parts.notAfter)),
    parts.subject,
    parts.publicKeyInfo,
    ...(parts.extensions.length === 0 ? [] : [explicitTag(3, sequence(...parts.extensions))]),
  )
}

/** Joins the signed bytes, the algorithm and the signature to a certificate or a revocation list. */
export function joinCertificate(tbs: Uint8Array, signatureAlgorithm: Uint8Array, signature: Uint8Array): Buffer {
  return sequence(tbs, signatureAlgorithm, bitString(signature))
}
