import { X509Certificate } from 'node:crypto'
import { findPemBlocks } from './pem.ts'

const MAX_CERTIFICATES = 10
const BEGIN = '-----BEGIN '

/** Why a text is no bundle of CA certificates, in words; undefined when it is one. */
export function caBundleProblem(pem: string): string | undefined {
  const blocks = findPemBlocks(pem, 'CERTIFICATE') ?? []
  if (blocks.length === 0) return 'must hold PEM certificates'
  if (blocks.length > MAX_CERTIFICATES) return `must not hold more than ${MAX_CERTIFICATES} certificates`
  // Whoever pastes a private key here would have it stored and shown.
  if (pem.split(BEGIN).length - 1 !== blocks.length) return 'must hold certificates and nothing else'
  return blocks.every(isCertificate) ? undefined : 'holds a certificate that cannot be read'
}

function isCertificate(der: Buffer): boolean {
  try {
    return new X509Certificate(der).raw.length === der.length
  } catch {
    return false
  }
}
