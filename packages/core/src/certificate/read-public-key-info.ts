import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto'
import { admitPublicKey, type PublicKeyKind } from '../key/admit-public-key.ts'
import { createDerCursor, readOctetsOfBitString, readOid } from './der-cursor.ts'
import { type DerNode, readDer, TAG } from './der-reader.ts'
import { formatPem } from './pem.ts'

export type PublicKeyInfo =
  | { readonly ok: true; readonly publicKey: KeyObject; readonly keyKind: PublicKeyKind }
  | { readonly ok: false; readonly reason: string }

type ReadNumbers = (octets: Buffer) => JsonWebKey | undefined

/** The supported keys by their encoded AlgorithmIdentifier, with a parser for their numbers. Other keys never reach OpenSSL. */
const ADMITTED: ReadonlyMap<string, ReadNumbers> = new Map([
  ['300d06092a864886f70d0101010500', readRsaNumbers], // rsaEncryption, NULL
  ['301306072a8648ce3d020106082a8648ce3d030107', readPoint('P-256', 32)], // id-ecPublicKey
  ['301006072a8648ce3d020106052b81040022', readPoint('P-384', 48)],
  ['301006072a8648ce3d020106052b81040023', readPoint('P-521', 66)],
  ['300506032b6570', readEd25519Numbers],
])

const EC_PUBLIC_KEY = '1.2.840.10045.2.1'

/** Names of unsupported keys, for the reason. */
const NAMES: Readonly<Record<string, string>> = {
  '1.2.840.113549.1.1.10': 'RSA-PSS',
  '1.2.840.113549.1.1.1': 'RSA with unusual parameters',
  '1.2.840.10040.4.1': 'DSA',
  '1.3.101.113': 'Ed448',
  '1.3.101.112': 'Ed25519 with unusual parameters',
  '1.3.101.110': 'X25519',
  '1.3.101.111': 'X448',
  '1.3.132.0.10': 'secp256k1',
  '1.3.132.0.33': 'P-224',
  '1.2.840.10045.3.1.1': 'P-192',
  [EC_PUBLIC_KEY]: 'EC with explicit parameters',
}

/**
 * Parses a SubjectPublicKeyInfo and admits its key. Returns a reason when the key is refused. Throws DerError only when the
 * bytes are not a SubjectPublicKeyInfo.
 */
export function readPublicKeyInfo(node: DerNode): PublicKeyInfo {
  const cursor = createDerCursor(node)
  const algorithm = cursor.take(TAG.sequence)
  const octets = readOctetsOfBitString(cursor.take(TAG.bitString))
  cursor.end()
  const id = readOid(createDerCursor(algorithm).take(TAG.oid))
  const readNumbers = ADMITTED.get(algorithm.bytes.toString('hex'))
  if (!readNumbers) {
    return refuse(
      `keys of the type ${nameOf(id, algorithm)} are not supported; use RSA, P-256, P-384, P-521 or Ed25519`,
    )
  }
  try {
    // As PEM text: for an object, `createPublicKey` raises two internal exceptions, which take as long as parsing the key.
    const publicKey = createPublicKey(formatPem('PUBLIC KEY', node.bytes))
    const numbers = readNumbers(octets)
    const admission = admitPublicKey(publicKey, numbers)
    if (!admission.ok) return refuse(admission.reason)
    return numbers ? { ok: true, publicKey, keyKind: admission.kind } : refuse('the public key is malformed')
  } catch {
    return refuse('the public key cannot be read')
  }
}

/** RFC 8017 appendix A.1.1. */
function readRsaNumbers(octets: Buffer): JsonWebKey | undefined {
  const cursor = createDerCursor(readDer(octets))
  const [n, e] = [readPositive(cursor.take(TAG.integer)), readPositive(cursor.take(TAG.integer))]
  cursor.end()
  return n && e && { kty: 'RSA', n: n.toString('base64url'), e: e.toString('base64url') }
}

function readPositive({ content }: DerNode): Buffer | undefined {
  const [first = 0] = content
  if (first >= 0x80) return undefined
  return first === 0 ? content.subarray(1) : content
}

/** RFC 5480 section 2.2: the uncompressed form of a point. */
function readPoint(crv: string, size: number): ReadNumbers {
  return (octets) => {
    if (octets.length !== 1 + 2 * size || octets[0] !== 4) return undefined
    const [x, y] = [octets.subarray(1, 1 + size), octets.subarray(1 + size)]
    return { kty: 'EC', crv, x: x.toString('base64url'), y: y.toString('base64url') }
  }
}

function readEd25519Numbers(octets: Buffer): JsonWebKey | undefined {
  return octets.length === 32 ? { kty: 'OKP', crv: 'Ed25519', x: octets.toString('base64url') } : undefined
}

function nameOf(id: string, algorithm: DerNode): string {
  const parameters = algorithm.children[1]
  const named = id === EC_PUBLIC_KEY && parameters?.tag === TAG.oid ? readOid(parameters) : id
  return (Object.hasOwn(NAMES, named) ? NAMES[named] : undefined) ?? named
}

function refuse(reason: string): PublicKeyInfo {
  return { ok: false, reason }
}
