import { AppError } from '../app-error.ts'
import { DerError } from '../certificate/der-reader.ts'
import { isCurrent, isSignedBy } from '../certificate/find-certificate-path.ts'
import { type ParsedCertificate, parseCertificate } from '../certificate/parse-certificate.ts'
import { findOnlyPemBlock } from '../certificate/pem.ts'
import { readPublicKeyInfo } from '../certificate/read-public-key-info.ts'
import { firstCertificate } from './ca-certificate.ts'
import { commonNameOf } from './external-id-claim.ts'

const BEGIN = /-----BEGIN ([^\n-]*)-----/

/**
 * Checks the proof that a CA's private key is at hand: a current certificate whose common name is the verification token, signed by the CA itself.
 * Only the first block of the text counts. Throws the refusal.
 */
export function checkCaProof(
  { certPem, verificationToken }: { readonly certPem: string; readonly verificationToken: string },
  proofPem: string,
  now: number,
): void {
  const proof = readProof(proofPem)
  if (commonNameOf(proof) !== verificationToken) throw new AppError('INVALID_COMMON_NAME')
  const ca = parseCertificate(firstCertificate(certPem))
  const key = readPublicKeyInfo(ca.publicKeyInfo)
  const isProven = key.ok && proof.issuer.equals(ca.subject) && isSignedBy(proof, key.publicKey)
  if (!isProven) throw failed('x509: certificate signed by unknown authority')
  if (!isCurrent(ca, now) || !isCurrent(proof, now)) throw failed('certificate has expired or is not yet valid')
}

function readProof(pem: string): ParsedCertificate {
  const begin = BEGIN.exec(pem)
  const label = begin?.[1] ?? ''
  const end = `-----END ${label}-----`
  const endAt = begin ? pem.indexOf(end, begin.index) : -1
  if (!begin || endAt < 0) throw new AppError('COULD_NOT_PARSE_BODY', { message: 'the body has no PEM block' })
  if (label !== 'CERTIFICATE') throw new AppError('EXPECTED_PEM_CERTIFICATE')
  const der = findOnlyPemBlock(pem.slice(begin.index, endAt + end.length), label)
  if (!der) throw new AppError('COULD_NOT_PARSE_DER_BLOCK')
  try {
    return parseCertificate(der)
  } catch (error) {
    throw error instanceof DerError ? new AppError('COULD_NOT_PARSE_DER_BLOCK') : error
  }
}

function failed(message: string): AppError {
  return new AppError('CERTIFICATE_FAILED_VALIDATION', { message })
}
