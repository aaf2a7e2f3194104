import {
  AppError,
  findDateFault,
  findLeafFault,
  type LeafFault,
  readLeafCertificate,
  readSignerCertificate,
} from '@countersign/core'
import type { ControllerContext } from '../controller-context.ts'

const REASONS: Readonly<Record<LeafFault, string>> = {
  'certificate-foreign': 'it was not issued by the certificate authority of this controller',
  'certificate-not-for-clients': 'it is not meant for the authentication of clients',
  'certificate-not-yet-valid': 'it is not valid yet',
  'certificate-expired': 'it has expired',
}

/**
 * Reads a certificate that an administrator wants to let an identity in with: exactly one, with an admitted key, and such as a
 * sign-in would take. Throws AppError INVALID_CERT_PEM that says why not.
 */
export function readNewCertificate(
  { clientCertificates, clock }: Pick<ControllerContext, 'clientCertificates' | 'clock'>,
  certPem: string,
) {
  const { der } = readSignerCertificate(certPem)
  const leaf = readLeafCertificate(der)
  const fault =
    leaf && (findLeafFault(leaf, clientCertificates.authorities()) ?? findDateFault(leaf, clock.now(), false))
  if (!leaf || fault) {
    const reason = fault ? REASONS[fault] : 'it is no valid certificate'
    throw new AppError('INVALID_CERT_PEM', { field: 'certPem', reason, value: '' })
  }
  const { fingerprint, publicKeyDigest } = leaf
  return { certPem, fingerprint, publicKeyDigest }
}
