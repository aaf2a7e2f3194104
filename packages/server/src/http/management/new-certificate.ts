import {
  AppError,
  findDateFault,
  findLeafFault,
  type LeafFault,
  readLeafCertificate,
  readSignerCertificate,
} from '@countersign/core'
import type { Clock } from '../../platform/clock.ts'
import type { ClientCertificates } from '../../platform/keys/client-certificates.ts'

const REASONS: Readonly<Record<LeafFault, string>> = {
  'certificate-foreign': 'it was not issued by the certificate authority of this controller',
  'certificate-not-for-clients': 'it is not a client authentication certificate',
  'certificate-not-yet-valid': 'it is not valid yet',
  'certificate-expired': 'it has expired',
}

export interface NewCertificateParts {
  readonly clientCertificates: Pick<ClientCertificates, 'authorities'>
  readonly clock: Clock
}

/**
 * Reads the certificate of a new authenticator: exactly one, with an admitted key, that certificate login would accept. Throws INVALID_CERT_PEM
 * with the reason otherwise.
 */
export function readNewCertificate({ clientCertificates, clock }: NewCertificateParts, certPem: string) {
  const { der } = readSignerCertificate(certPem)
  const leaf = readLeafCertificate(der)
  const fault =
    leaf && (findLeafFault(leaf, clientCertificates.authorities()) ?? findDateFault(leaf, clock.now(), false))
  if (!leaf || fault) {
    const reason = fault ? REASONS[fault] : 'it is not a valid certificate'
    throw new AppError('INVALID_CERT_PEM', { field: 'certPem', reason, value: '' })
  }
  const { fingerprint, publicKeyDigest } = leaf
  return { certPem, fingerprint, publicKeyDigest }
}
