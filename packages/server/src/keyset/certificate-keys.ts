import { AppError, BoundedCache, buildCertificateKey, readSignerCertificate, type SignerKeys } from '@countersign/core'
import type { KeySigner } from '../store/key-signer.ts'

/** The keys of one certificate signer. */
export interface CertificateKeySet {
  /** The one key, with the dates between which it verifies; empty when it is not admitted. */
  readonly keys: SignerKeys
  /** Why it is not admitted. */
  readonly problem?: string
}

interface Remembered extends CertificateKeySet {
  readonly certPem: string
  readonly kid: string | null
}

type CertificateSigner = KeySigner & { readonly certPem: string }

const MAX_REMEMBERED = 10_000

/** The keys of certificate signers. Reading a certificate is expensive, so it is done once for each that is used. */
export class CertificateKeys {
  readonly #onProblem: (signerId: string, problem: string) => void
  readonly #remembered = new BoundedCache<string, Remembered>(MAX_REMEMBERED)

  /** `onProblem` is called once for each certificate that is not admitted, when it is first used. */
  constructor(onProblem: (signerId: string, problem: string) => void) {
    this.#onProblem = onProblem
  }

  keySetOf({ id, certPem, kid }: CertificateSigner): CertificateKeySet {
    const known = this.#remembered.get(id)
    if (known && known.certPem === certPem && known.kid === kid) return known
    const read = { ...readCertificateKeys({ certPem, kid }), certPem, kid }
    this.#remembered.set(id, read)
    if (read.problem !== undefined) this.#onProblem(id, read.problem)
    return read
  }
}

function readCertificateKeys({ certPem, kid }: Pick<Remembered, 'certPem' | 'kid'>): CertificateKeySet {
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
