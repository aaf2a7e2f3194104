import { X509Certificate } from 'node:crypto'
import { isQuickToParse } from './is-quick-to-parse.ts'
import { findPemBlocks } from './pem.ts'

const MAX_CERTIFICATES = 10
const BEGIN = '-----BEGIN '

/** Returns why a text is not a bundle of CA certificates; undefined when it is. */
export function findCaBundleError(pem: string): string | undefined {
  const blocks = findPemBlocks(pem, 'CERTIFICATE') ?? []
  if (blocks.length === 0) return 'must contain PEM certificates'
  if (blocks.length > MAX_CERTIFICATES) return `must not contain more than ${MAX_CERTIFICATES} certificates`
  // The bundle is stored and returned in responses, so it must not contain a pasted private key.
  if (pem.split(BEGIN).length - 1 !== blocks.length) return 'must contain certificates only'
  return blocks.every(isCertificate) ? undefined : 'contains a certificate that cannot be read'
}

function isCertificate(der: Buffer): boolean {
  if (!isQuickToParse(der)) return false
  try {
    return new X509Certificate(der).raw.length === der.length
  } catch {
    return false
  }
}
