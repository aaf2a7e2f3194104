import { constants, type KeyObject } from 'node:crypto'
import type { PublicKeyKind } from './admit-public-key.ts'

export interface Algorithm {
  readonly keyKind: PublicKeyKind
  /** Undefined where the signature scheme has its own. */
  readonly hash: string | undefined
  /** What `crypto.verify` is told besides the key. */
  readonly options: { readonly padding?: number; readonly saltLength?: number; readonly dsaEncoding?: 'ieee-p1363' }
  /** Undefined: as many bytes as the modulus. */
  readonly signatureBytes: number | undefined
}

const pkcs1 = (hash: string): Algorithm => ({
  keyKind: 'RSA',
  hash,
  options: { padding: constants.RSA_PKCS1_PADDING },
  signatureBytes: undefined,
})

const pss = (hash: string): Algorithm => ({
  keyKind: 'RSA',
  hash,
  options: { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST },
  signatureBytes: undefined,
})

const ecdsa = (keyKind: PublicKeyKind, hash: string, signatureBytes: number): Algorithm => ({
  keyKind,
  hash,
  options: { dsaEncoding: 'ieee-p1363' },
  signatureBytes,
})

/** Every algorithm a token may be signed with. A Map, so that no name from a token can reach a prototype. */
export const ALGORITHMS: ReadonlyMap<string, Algorithm> = new Map([
  ['RS256', pkcs1('sha256')],
  ['RS384', pkcs1('sha384')],
  ['RS512', pkcs1('sha512')],
  ['PS256', pss('sha256')],
  ['PS384', pss('sha384')],
  ['PS512', pss('sha512')],
  ['ES256', ecdsa('P-256', 'sha256', 64)],
  ['ES384', ecdsa('P-384', 'sha384', 96)],
  ['ES512', ecdsa('P-521', 'sha512', 132)],
  ['EdDSA', { keyKind: 'Ed25519', hash: undefined, options: {}, signatureBytes: 64 }],
])

/** The names of all algorithms that a key of this kind can verify. */
export function algorithmsOf(kind: PublicKeyKind): readonly string[] {
  return [...ALGORITHMS].filter(([, { keyKind }]) => keyKind === kind).map(([name]) => name)
}

/** How long a signature of this algorithm by this key is, exactly. */
export function signatureBytesOf(algorithm: Algorithm, key: KeyObject): number {
  return algorithm.signatureBytes ?? Math.ceil((key.asymmetricKeyDetails?.modulusLength ?? 0) / 8)
}
