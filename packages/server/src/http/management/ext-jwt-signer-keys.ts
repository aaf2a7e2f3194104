import type { ExtJwtSignerPatch, ExtJwtSignerWrite } from '@countersign/contract'
import { AppError, checkHeaderValue, fieldError, readSignerCertificate, thumbprintOf } from '@countersign/core'
import type { GivenKeyFacts } from '../../operations/signer/signer-key-facts.ts'
import type { Sealing } from '../../platform/keys/sealing.ts'
import { jwksAuthorizationUse } from '../../store/key-signer.ts'
import type { SignerCertificateFacts, SignerCertificateOfSeveral } from '../../store/signer-row.ts'

/** Reads the certificates of a body and seals its secret. Throws INVALID_CERT_PEM or COULD_NOT_VALIDATE, and repeats nothing of them. */
export function readGivenKeys(
  sealing: Sealing,
  id: string,
  body: ExtJwtSignerPatch | ExtJwtSignerWrite,
): GivenKeyFacts {
  const { certPem, certPems, jwksAuthorization } = body
  return {
    certificate: certPem?.trim() ? certificateFacts(certPem) : undefined,
    certificates: certPems?.length ? certificatesFacts(certPems) : undefined,
    jwksAuthorization: jwksAuthorization ? seal(sealing, id, jwksAuthorization) : blankOf(jwksAuthorization),
  }
}

function certificateFacts(certPem: string): SignerCertificateFacts {
  const { fingerprintSha1, commonName, notBefore, notAfter } = readSignerCertificate(certPem)
  return { fingerprint: fingerprintSha1, commonName, notBefore: notBefore.getTime(), notAfter: notAfter.getTime() }
}

function certificatesFacts(certPems: readonly string[]): SignerCertificateOfSeveral[] {
  const facts = certPems.map((pem, index) => {
    try {
      return { ...certificateFacts(pem), thumbprint: thumbprintOf(readSignerCertificate(pem).publicKey) }
    } catch (error) {
      if (!(error instanceof AppError) || !error.publicCause || !('reason' in error.publicCause)) throw error
      const { reason } = error.publicCause
      throw new AppError('INVALID_CERT_PEM', {
        field: 'certPems',
        reason: `certificate ${index + 1}: ${reason}`,
        value: '',
      })
    }
  })
  const fingerprints = new Set(facts.map(({ fingerprint }) => fingerprint))
  if (fingerprints.size < facts.length) throw fieldError('certPems', 'each certificate may be given once', '')
  return facts
}

function seal(sealing: Sealing, id: string, authorization: string): string {
  checkHeaderValue('jwksAuthorization', authorization)
  return sealing.seal(authorization, jwksAuthorizationUse(id))
}

/** An empty text clears it, like null. */
function blankOf(value: string | null | undefined): null | undefined {
  return value === undefined ? undefined : null
}
