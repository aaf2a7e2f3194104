import type { KeyObject, X509Certificate } from 'node:crypto'
import { formatPem } from '@countersign/core'

/** The controller's certificate and signing key; a renewal replaces them. */
export interface ServerIdentity {
  /** The leaf alone. */
  readonly certificatePem: string
  /** Lower-case hex SHA-1 of the leaf. */
  readonly fingerprint: string
  readonly key: KeyObject
}

export function buildServerIdentity(leaf: X509Certificate, key: KeyObject): ServerIdentity {
  return {
    certificatePem: formatPem('CERTIFICATE', leaf.raw),
    fingerprint: leaf.fingerprint.replaceAll(':', '').toLowerCase(),
    key,
  }
}
