import { hash, type KeyObject } from 'node:crypto'
import type { PublicKeyKind } from './admit-public-key.ts'
import { algorithmsOf, signatureBytesOf } from './algorithms.ts'
import { publicNumbersOf } from './public-numbers.ts'

/** One admitted key of one signer. */
export interface SignerKey {
  readonly kid: string
  /** The `alg` of its JWK. */
  readonly alg?: string
  /** The algorithms it may be used with. */
  readonly algs: readonly string[]
  readonly keyObject: KeyObject
  /** The exact length of its signatures. */
  readonly signatureBytes: number
  /** RFC 7638, SHA-256, base64url. */
  readonly thumbprint: string
  /** The validity period of its certificate, both ends inclusive. */
  readonly notBefore?: Date
  readonly notAfter?: Date
  /** From when on it is refused, because it was pushed too long ago; in milliseconds since 1970. */
  readonly staleAtMs?: number
  /** The certificate that was published in place of the key, in base64. */
  readonly x5c?: string
}

/** The keys of one signer by kid. Never mix keys of different signers in one map. */
export type SignerKeys = ReadonlyMap<string, SignerKey>

/** `keyObject` must have been admitted as `kind`. */
export function buildSignerKey(kid: string, keyObject: KeyObject, kind: PublicKeyKind, alg?: string): SignerKey {
  const algs = alg === undefined ? algorithmsOf(kind) : [alg]
  const signatureBytes = signatureBytesOf(kind, keyObject)
  const thumbprint = thumbprintOf(keyObject)
  return { kid, ...(alg === undefined ? {} : { alg }), algs, keyObject, signatureBytes, thumbprint }
}

/** RFC 7638: SHA-256 over the required members of the JWK in alphabetical order. */
export function thumbprintOf(publicKey: KeyObject): string {
  const { crv, e, kty, n, x, y } = publicNumbersOf(publicKey)
  return hash('sha256', JSON.stringify({ crv, e, kty, n, x, y }), 'base64url')
}
