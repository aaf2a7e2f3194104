import {
  AppError,
  buildCertificateKey,
  createLruCache,
  KeySetError,
  readKeySet,
  readSignerCertificate,
  type SignerKey,
  type SignerKeys,
} from '@countersign/core'
import type { KeySigner } from '../store/key-signer.ts'

/** The keys that one signer names itself. */
export interface StaticKeySet {
  /** Those of certificates have validity dates. Without those that are not accepted. */
  readonly keys: SignerKeys
  /** Why a certificate or key is not accepted, one sentence each. */
  readonly refusals: readonly string[]
}

interface Cached extends StaticKeySet {
  readonly revision: number
  readonly source: string
}

const MAX_CACHED = 10_000

/** Whether a signer names its keys itself: by certificates, or as a key set. */
export function hasStaticKeys({ certPem, certPems, jwks }: KeySigner): boolean {
  return certPem !== null || (certPems ?? null) !== null || (jwks ?? null) !== null
}

/** The keys of signers that name them. Parsing a key is expensive, so the result is cached. */
export class StaticKeys {
  readonly #onRefusal: (signerId: string, refusal: string) => void
  readonly #cache = createLruCache<string, Cached>(MAX_CACHED)

  /** `onRefusal` is called once for each certificate or key that is not accepted, on first use. */
  constructor(onRefusal: (signerId: string, refusal: string) => void) {
    this.#onRefusal = onRefusal
  }

  keySetOf(signer: KeySigner): StaticKeySet {
    const { id, revision } = signer
    const known = this.#cache.get(id)
    if (known?.revision === revision) return known
    const source = sourceOf(signer)
    // Unchanged keys stay the same objects, which keeps what was prepared for verifying with them.
    const keySet = known?.source === source ? known : readKeys(signer)
    const read = { keys: keySet.keys, refusals: keySet.refusals, revision, source }
    this.#cache.set(id, read)
    if (keySet !== known) for (const refusal of read.refusals) this.#onRefusal(id, refusal)
    return read
  }
}

/** Equal for the same keys. */
function sourceOf({ certPem, certPems, kid, jwks }: KeySigner): string {
  return JSON.stringify(certPem === null ? [certPems, jwks] : [certPem, kid])
}

function readKeys({ certPem, certPems, kid, jwks }: KeySigner): StaticKeySet {
  if (jwks) return readJwks(jwks)
  const readings =
    certPem === null ? (certPems ?? []).map((pem) => readCertificate(pem)) : [readCertificate(certPem, kid)]
  const keys = readings.flatMap((reading) => (typeof reading === 'string' ? [] : [[reading.kid, reading] as const]))
  return { keys: new Map(keys), refusals: readings.filter((reading) => typeof reading === 'string') }
}

function readJwks(jwks: NonNullable<KeySigner['jwks']>): StaticKeySet {
  try {
    const { keys, warnings } = readKeySet(jwks as never)
    return { keys, refusals: warnings }
  } catch (error) {
    // A release with other rules stored it.
    if (error instanceof KeySetError) return { keys: new Map(), refusals: [error.message] }
    throw error
  }
}

/** The key, or why it is not accepted. */
function readCertificate(certPem: string, kid: string | null = null): SignerKey | string {
  try {
    const { publicKey, fingerprintSha1, notBefore, notAfter } = readSignerCertificate(certPem)
    const reading = buildCertificateKey(publicKey, kid ?? fingerprintSha1, notBefore, notAfter)
    return reading.ok ? reading.key : reading.reason
  } catch (error) {
    if (error instanceof AppError) return error.message
    throw error
  }
}
