import { type KeyObject, sign } from 'node:crypto'

interface SigningAlgorithm {
  readonly alg: string
  readonly hash: string | null
}

const BY_KEY: Readonly<Record<string, SigningAlgorithm>> = {
  rsa: { alg: 'RS256', hash: 'sha256' },
  prime256v1: { alg: 'ES256', hash: 'sha256' },
  secp384r1: { alg: 'ES384', hash: 'sha384' },
  secp521r1: { alg: 'ES512', hash: 'sha512' },
  ed25519: { alg: 'EdDSA', hash: null },
}

/** A compact JWT with the algorithm that fits the key. Throws a plain Error for a key type that no algorithm supports. */
export function signJwt(
  { key, kid }: { key: KeyObject; kid: string },
  claims: Readonly<Record<string, unknown>>,
): string {
  const { alg, hash } = algorithmOf(key)
  const signed = `${encode({ alg, kid, typ: 'JWT' })}.${encode(claims)}`
  const signature = sign(hash, Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' })
  return `${signed}.${signature.toString('base64url')}`
}

/** The JWT algorithm of a key. Throws a plain Error for a key type that no algorithm supports. */
export function jwtAlgorithmOf(key: KeyObject): string {
  return algorithmOf(key).alg
}

function algorithmOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): SigningAlgorithm {
  const type = String(asymmetricKeyType)
  const found = BY_KEY[asymmetricKeyDetails?.namedCurve ?? type]
  if (!found) throw new Error(`no JWT can be signed with a key of the type ${type}`)
  return found
}

function encode(part: unknown): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url')
}
