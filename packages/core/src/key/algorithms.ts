import { constants, type KeyObject } from 'node:crypto'
import type { PublicKeyKind } from './admit-public-key.ts'
import { ecdsaSignatureToDer } from './ecdsa-signature.ts'

export interface Algorithm {
  readonly keyKind: PublicKeyKind
  /** Null for Ed25519, which includes its hash. */
  readonly hash: string | null
  /** Options for `crypto.verify`; absent when its defaults are right. */
  readonly options?: { readonly padding: number; readonly saltLength: number }
  /** Converts a JWS signature of the right length into the encoding that `crypto.verify` expects. */
  readonly encodeSignature?: (signature: Buffer) => Buffer
}

const pkcs1 = (hash: string): Algorithm => ({ keyKind: 'RSA', hash })

const pss = (hash: string): Algorithm => ({
  keyKind: 'RSA',
  hash,
  options: { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST },
})

const ecdsa = (keyKind: PublicKeyKind, hash: string): Algorithm => ({
  keyKind,
  hash,
  encodeSignature: ecdsaSignatureToDer,
})

/** Every supported signature algorithm. A Map, so that a name from a token cannot reach a prototype. */
export const ALGORITHMS: ReadonlyMap<string, Algorithm> = new Map([
  ['RS256', pkcs1('sha256')],
  ['RS384', pkcs1('sha384')],
  ['RS512', pkcs1('sha512')],
  ['PS256', pss('sha256')],
  ['PS384', pss('sha384')],
  ['PS512', pss('sha512')],
  ['ES256', ecdsa('P-256', 'sha256')],
  ['ES384', ecdsa('P-384', 'sha384')],
  ['ES512', ecdsa('P-521', 'sha512')],
  ['EdDSA', { keyKind: 'Ed25519', hash: null }],
])

export const ALGORITHM_NAMES: readonly string[] = [...ALGORITHMS.keys()]

/** The names of the algorithms for keys of this kind. */
export function algorithmsOf(kind: PublicKeyKind): readonly string[] {
  return [...ALGORITHMS].filter(([, { keyKind }]) => keyKind === kind).map(([name]) => name)
}

/** ECDSA: two field-sized numbers. Ed25519: a point and a number. RSA signatures are as long as the modulus. */
const SIGNATURE_BYTES: Readonly<Record<PublicKeyKind, number | undefined>> = {
  RSA: undefined,
  'P-256': 64,
  'P-384': 96,
  'P-521': 132,
  Ed25519: 64,
}

/** The exact length of this key's signatures, which does not depend on the algorithm. */
export function signatureBytesOf(kind: PublicKeyKind, key: KeyObject): number {
  return SIGNATURE_BYTES[kind] ?? Math.ceil((key.asymmetricKeyDetails?.modulusLength ?? 0) / 8)
}
