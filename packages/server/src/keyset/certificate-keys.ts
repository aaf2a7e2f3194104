import { AppError, BoundedCache, buildCertificateKey, readSignerCertificate, type SignerKeys } from '@countersign/core'
import type { KeySigner } from '../store/key-signer.ts'

export interface CertificateKeys {
  /** The one key, with the dates between which it verifies; empty when it is not admitted. */
  readonly keys: SignerKeys
  /** Why it is not admitted. */
  readonly problem?: string
}

interface Remembered extends CertificateKeys {
  readonly certPem: string
  readonly kid: string | null
}

const MAX_REMEMBERED = 10_000

/** Answers the key of a certificate signer; reading a certificate is dear, so it is done once for each that is used. */
export function createCertificateKeys(
  onProblem: (signerId: string, problem: string) => void,
): (signer: KeySigner & { certPem: string }) => CertificateKeys {
  const remembered = new BoundedCache<string, Remembered>(MAX_REMEMBERED)
  return ({ id, certPem, kid }) => {
    const known = remembered.get(id)
    if (known && known.certPem === certPem && known.kid === kid) return known
    const read = { ...readCertificateKeys({ certPem, kid }), certPem, kid }
    remembered.set(id, read)
    if (read.problem !== undefined) onProblem(id, read.problem)
    return read
  }
}

function readCertificateKeys({ certPem, kid }: Pick<Remembered, 'certPem' | 'kid'>): CertificateKeys {
  try {
    const { publicKey, fingerprintSha1, notBefore, notAfter } = readSignerCertificate(certPem)
    const reading = buildCertificateKey(publicKey, kid ?? fingerprintSha1, notBefore, notAfter)
    if (!reading.ok) return { keys: new Map(), problem: reading.reason }
    return { keys: new Map([[reading.key.kid, reading.key]]) }
  } catch (error) {
    // Stored by a release with other rules.
    if (error instanceof AppError) return { keys: new Map(), problem: error.message }
    throw error
  }
}
