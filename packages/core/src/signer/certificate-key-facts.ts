import { readSignerCertificate } from '../certificate/read-certificate.ts'
import { algorithmsOf } from '../key/algorithms.ts'
import { thumbprintOf } from '../key/signer-key.ts'

/** What is told about a key: enough to recognise it, and what it signs with. */
export interface KeyFacts {
  /** The algorithm the key is bound to, or else the first of those it can be used with. */
  readonly alg: string
  /** RFC 7638, SHA-256, base64url. */
  readonly thumbprint: string
}

/** What is told about the key of a static certificate. Throws INVALID_CERT_PEM for one that would not be admitted. */
export function certificateKeyFacts(certPem: string): KeyFacts {
  const { publicKey, keyKind } = readSignerCertificate(certPem)
  const [alg = ''] = algorithmsOf(keyKind)
  return { alg, thumbprint: thumbprintOf(publicKey) }
}
