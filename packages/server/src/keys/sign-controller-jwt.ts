import { type KeyObject, sign } from 'node:crypto'
import type { ServerIdentity } from './server-identity.ts'

/** Puts the controller's name under claims: a compact JWT that verifies with the server certificate. */
export type SignControllerJwt = (claims: Readonly<Record<string, unknown>>) => string

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

/**
 * Signs with the key of the server certificate that is in use, since clients check such tokens with the certificate that
 * the TLS connection shows them; `kid` is its fingerprint. Throws a plain Error for a key of a kind that no JWT is signed
 * with.
 */
export function createSignControllerJwt(serverIdentity: () => ServerIdentity): SignControllerJwt {
  return (claims) => {
    const { key, fingerprint } = serverIdentity()
    const { alg, hash } = algorithmOf(key)
    const signed = `${encode({ alg, kid: fingerprint, typ: 'JWT' })}.${encode(claims)}`
    const signature = sign(hash, Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' })
    return `${signed}.${signature.toString('base64url')}`
  }
}

function algorithmOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): SigningAlgorithm {
  const type = String(asymmetricKeyType)
  const found = BY_KEY[asymmetricKeyDetails?.namedCurve ?? type]
  if (!found) throw new Error(`no JWT can be signed with a server key of the type ${type}`)
  return found
}

function encode(part: unknown): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url')
}
