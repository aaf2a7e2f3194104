import {
  AppError,
  findDateFault,
  findLeafFault,
  type LeafCertificate,
  type LeafFault,
  readLeafCertificate,
  readSignerCertificate,
} from '@countersign/core'
import type { Clock } from '../../platform/clock.ts'
import type { ClientCertificates } from '../../platform/keys/client-certificates.ts'
import { isLoginCa } from '../../store/reads/ca-reads.ts'
import type { ThirdPartyCas } from '../../token/third-party-cas.ts'

const REASONS: Readonly<Record<LeafFault, string>> = {
  'certificate-foreign':
    'it was not issued by the certificate authority of this controller or by a verified third-party CA',
  'certificate-not-for-clients': 'it is not a client authentication certificate',
  'certificate-not-yet-valid': 'it is not valid yet',
  'certificate-expired': 'it has expired',
}

export interface NewCertificateParts {
  readonly clientCertificates: Pick<ClientCertificates, 'authorities'>
  readonly clock: Clock
  readonly thirdPartyCas: Pick<ThirdPartyCas, 'find'>
}

/**
 * Reads the certificate of a new authenticator: exactly one, with an admitted key, that certificate login would accept, issued directly by our CA or
 * a third-party CA. Throws INVALID_CERT_PEM with the reason otherwise.
 */
export async function readNewCertificate(parts: NewCertificateParts, certPem: string) {
  const { der } = readSignerCertificate(certPem)
  const leaf = readLeafCertificate(der)
  if (!leaf) throw refusal('it is not a valid certificate')
  const issuer = await findIssuer(parts, leaf)
  const fault = issuer.fault ?? findDateFault(leaf, parts.clock.now(), false)
  if (fault) throw refusal(REASONS[fault])
  const { fingerprint, publicKeyDigest } = leaf
  return { certPem, fingerprint, publicKeyDigest, ...(issuer.caFingerprint && { caFingerprint: issuer.caFingerprint }) }
}

async function findIssuer(
  { clientCertificates, thirdPartyCas }: NewCertificateParts,
  leaf: LeafCertificate,
): Promise<{ readonly fault?: LeafFault | undefined; readonly caFingerprint?: string }> {
  const fault = findLeafFault(leaf, clientCertificates.authorities())
  if (fault !== 'certificate-foreign') return { fault }
  const issuing = await thirdPartyCas.find(leaf, { sent: [], isResumed: false }, isLoginCa)
  if (!issuing) return { fault }
  if (leaf.isCa || !leaf.mayAuthenticateClients) return { fault: 'certificate-not-for-clients' }
  return { caFingerprint: issuing.ca.fingerprint }
}

function refusal(reason: string): AppError {
  return new AppError('INVALID_CERT_PEM', { field: 'certPem', reason, value: '' })
}
