import { hash, type KeyObject } from 'node:crypto'
import type { PublicKeyKind } from './admit-public-key.ts'
import { algorithmsOf, signatureBytesOf } from './algorithms.ts'
import { publicNumbersOf } from './public-numbers.ts'

/** One admitted key of one signer. */
export interface SignerKey {
  readonly kid: string
  /** What the key's owner bound it to, where he did. */
  readonly alg?: string
  /** What it may be used with. */
  readonly algs: readonly string[]
  readonly keyObject: KeyObject
  /** How long its signatures are, exactly. */
  readonly signatureBytes: number
  /** RFC 7638, SHA-256, base64url. */
  readonly thumbprint: string
  /** The validity period of the certificate it came from; both ends belong to it. */
  readonly notBefore?: Date
  readonly notAfter?: Date
}

/** The keys of one signer by kid. Keys of different signers never meet in one map. */
export type SignerKeys = ReadonlyMap<string, SignerKey>

/** Puts together a key that has been admitted as `kind`. */
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
