import { createPublicKey, type KeyObject } from 'node:crypto'
import { admitPublicKey, type PublicKeyKind } from '../key/admit-public-key.ts'
import { createDerCursor, readOctetsOfBitString, readOid } from './der-cursor.ts'
import { type DerNode, TAG } from './der-reader.ts'

export type PublicKeyInfo =
  | { readonly ok: true; readonly publicKey: KeyObject; readonly keyKind: PublicKeyKind }
  | { readonly ok: false; readonly reason: string }

/** AlgorithmIdentifiers whose keys may reach OpenSSL, byte for byte. */
const ADMITTED: ReadonlySet<string> = new Set([
  '300d06092a864886f70d0101010500', // rsaEncryption, NULL
  '301306072a8648ce3d020106082a8648ce3d030107', // id-ecPublicKey, P-256
  '301006072a8648ce3d020106052b81040022', // P-384
  '301006072a8648ce3d020106052b81040023', // P-521
  '300506032b6570', // Ed25519
])

const EC_PUBLIC_KEY = '1.2.840.10045.2.1'

/** What refused keys are called, so that the reason says more than a number. */
const NAMES: Readonly<Record<string, string>> = {
  '1.2.840.113549.1.1.10': 'RSA-PSS',
  '1.2.840.113549.1.1.1': 'RSA with odd parameters',
  '1.2.840.10040.4.1': 'DSA',
  '1.3.101.113': 'Ed448',
  '1.3.101.112': 'Ed25519 with odd parameters',
  '1.3.101.110': 'X25519',
  '1.3.101.111': 'X448',
  '1.3.132.0.10': 'secp256k1',
  '1.3.132.0.33': 'P-224',
  '1.2.840.10045.3.1.1': 'P-192',
  [EC_PUBLIC_KEY]: 'EC with explicit parameters',
}

/**
 * Reads a SubjectPublicKeyInfo and admits its key. Anything wrong with the key is a reason in words; DerError is thrown
 * only for bytes that are no SubjectPublicKeyInfo at all.
 */
export function readPublicKeyInfo(node: DerNode): PublicKeyInfo {
  const cursor = createDerCursor(node)
  const algorithm = cursor.take(TAG.sequence)
  readOctetsOfBitString(cursor.take(TAG.bitString))
  cursor.end()
  const id = readOid(createDerCursor(algorithm).take(TAG.oid))
  if (!ADMITTED.has(algorithm.bytes.toString('hex'))) {
    return refuse(
      `keys of the type ${nameOf(id, algorithm)} are not supported; use RSA, P-256, P-384, P-521 or Ed25519`,
    )
  }
  try {
    const publicKey = createPublicKey({ key: node.bytes, format: 'der', type: 'spki' })
    const admission = admitPublicKey(publicKey)
    if (!admission.ok) return refuse(admission.reason)
    const isCanonical = publicKey.export({ format: 'der', type: 'spki' }).equals(node.bytes)
    return isCanonical ? { ok: true, publicKey, keyKind: admission.kind } : refuse('the public key is badly encoded')
  } catch {
    return refuse('the public key cannot be read')
  }
}

function nameOf(id: string, algorithm: DerNode): string {
  const parameters = algorithm.children[1]
  const named = id === EC_PUBLIC_KEY && parameters?.tag === TAG.oid ? readOid(parameters) : id
  return (Object.hasOwn(NAMES, named) ? NAMES[named] : undefined) ?? named
}

function refuse(reason: string): PublicKeyInfo {
  return { ok: false, reason }
}
