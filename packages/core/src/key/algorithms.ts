import { constants, type KeyObject } from 'node:crypto'
import type { PublicKeyKind } from './admit-public-key.ts'
import { ecdsaSignatureToDer } from './ecdsa-signature.ts'

export interface Algorithm {
  readonly keyKind: PublicKeyKind
  /** Null where the signature scheme has its own. */
  readonly hash: string | null
  /** What `crypto.verify` must be told besides the key; nothing where its defaults are the algorithm. */
  readonly options?: { readonly padding: number; readonly saltLength: number }
  /** Turns a signature of the right length into the form that `crypto.verify` takes by default. */
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

/** Every algorithm a token may be signed with. A Map, so that no name from a token can reach a prototype. */
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

/** The names of all algorithms that a key of this kind can verify. */
export function algorithmsOf(kind: PublicKeyKind): readonly string[] {
  return [...ALGORITHMS].filter(([, { keyKind }]) => keyKind === kind).map(([name]) => name)
}

/** Two numbers of the size of the curve's, or a point and a number; RSA signatures are as long as the modulus. */
const SIGNATURE_BYTES: Readonly<Record<PublicKeyKind, number | undefined>> = {
  RSA: undefined,
  'P-256': 64,
  'P-384': 96,
  'P-521': 132,
  Ed25519: 64,
}

/** How long the signatures of this key are, exactly, whatever the algorithm. */
export function signatureBytesOf(kind: PublicKeyKind, key: KeyObject): number {
  return SIGNATURE_BYTES[kind] ?? Math.ceil((key.asymmetricKeyDetails?.modulusLength ?? 0) / 8)
}
