import { type KeyObject, sign } from 'node:crypto'
import { ecdsaSignatureFromDer } from '@countersign/core'

interface SigningAlgorithm {
  readonly alg: string
  readonly hash: string | null
  /** ECDSA: the size of the two numbers of a signature. */
  readonly bytes?: number
}

const BY_KEY: Readonly<Record<string, SigningAlgorithm>> = {
  rsa: { alg: 'RS256', hash: 'sha256' },
  prime256v1: { alg: 'ES256', hash: 'sha256', bytes: 32 },
  secp384r1: { alg: 'ES384', hash: 'sha384', bytes: 48 },
  secp521r1: { alg: 'ES512', hash: 'sha512', bytes: 66 },
  ed25519: { alg: 'EdDSA', hash: null },
}

/** A compact JWT with the algorithm that fits the key. Throws a plain Error for a key type that no algorithm supports. */
export function signJwt(
  { key, kid }: { key: KeyObject; kid: string },
  claims: Readonly<Record<string, unknown>>,
  type = 'JWT',
): string {
  const { alg, hash, bytes } = algorithmOf(key)
  const signed = `${encode({ alg, kid, typ: type })}.${encode(claims)}`
  // Without options beside the key, a signature takes half the time.
  const signature = sign(hash, Buffer.from(signed), key)
  const encoded = bytes === undefined ? signature : ecdsaSignatureFromDer(signature, bytes)
  return `${signed}.${encoded.toString('base64url')}`
}

/** The JWT algorithm of a key. Throws a plain Error for a key type that no algorithm supports. */
export function jwtAlgorithmOf(key: KeyObject): string {
  return algorithmOf(key).alg
}

/** Asking a key for its curve takes microseconds. */
const algorithms = new WeakMap<KeyObject, SigningAlgorithm>()

function algorithmOf(key: KeyObject): SigningAlgorithm {
  const known = algorithms.get(key)
  if (known) return known
  const type = String(key.asymmetricKeyType)
  const found = BY_KEY[key.asymmetricKeyDetails?.namedCurve ?? type]
  if (!found) throw new Error(`no JWT can be signed with a key of the type ${type}`)
  algorithms.set(key, found)
  return found
}

function encode(part: unknown): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url')
}
