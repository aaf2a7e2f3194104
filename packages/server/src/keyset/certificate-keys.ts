import {
  AppError,
  buildCertificateKey,
  createLruCache,
  readSignerCertificate,
  type SignerKeys,
} from '@countersign/core'
import type { KeySigner } from '../store/key-signer.ts'

/** The keys of one certificate signer. */
export interface CertificateKeySet {
  /** The key, with its validity dates; empty when the certificate is not accepted. */
  readonly keys: SignerKeys
  /** Why the certificate is not accepted. */
  readonly refusal?: string
}

interface Cached extends CertificateKeySet {
  readonly certPem: string
  readonly kid: string | null
}

type CertificateSigner = KeySigner & { readonly certPem: string }

const MAX_CACHED = 10_000

/** The keys of certificate signers. Parsing a certificate is expensive, so the result is cached. */
export class CertificateKeys {
  readonly #onRefusal: (signerId: string, refusal: string) => void
  readonly #cache = createLruCache<string, Cached>(MAX_CACHED)

  /** `onRefusal` is called once for each certificate that is not accepted, on first use. */
  constructor(onRefusal: (signerId: string, refusal: string) => void) {
    this.#onRefusal = onRefusal
  }

  keySetOf({ id, certPem, kid }: CertificateSigner): CertificateKeySet {
    const known = this.#cache.get(id)
    if (known && known.certPem === certPem && known.kid === kid) return known
    const read = { ...readCertificateKeys({ certPem, kid }), certPem, kid }
    this.#cache.set(id, read)
    if (read.refusal !== undefined) this.#onRefusal(id, read.refusal)
    return read
  }
}

function readCertificateKeys({ certPem, kid }: Pick<Cached, 'certPem' | 'kid'>): CertificateKeySet {
  try {
    const { publicKey, fingerprintSha1, notBefore, notAfter } = readSignerCertificate(certPem)
    const reading = buildCertificateKey(publicKey, kid ?? fingerprintSha1, notBefore, notAfter)
    if (!reading.ok) return { keys: new Map(), refusal: reading.reason }
    return { keys: new Map([[reading.key.kid, reading.key]]) }
  } catch (error) {
    // A release with other rules stored it.
    if (error instanceof AppError) return { keys: new Map(), refusal: error.message }
    throw error
  }
}
