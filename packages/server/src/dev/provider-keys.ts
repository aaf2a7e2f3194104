import { createHash, createPrivateKey, generateKeyPair, type JsonWebKey, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'

/** A stored private key, with the members that tokens and key sets use. */
export interface ProviderKey extends JsonWebKey {
  readonly kid: string
  readonly alg: 'RS256' | 'ES256'
  readonly use: 'sig'
}

const RSA_BITS = 2048
const PUBLIC_MEMBERS = ['kty', 'kid', 'alg', 'use', 'n', 'e', 'crv', 'x', 'y'] as const
const generate = promisify(generateKeyPair)

/** Creates one key for each algorithm. */
export async function createProviderKeys(): Promise<ProviderKey[]> {
  const [rsa, ec] = await Promise.all([
    generate('rsa', { modulusLength: RSA_BITS }),
    generate('ec', { namedCurve: 'P-256' }),
  ])
  return [providerKey(rsa.privateKey, 'RS256'), providerKey(ec.privateKey, 'ES256')]
}

/** Returns the public keys as a JWKS. */
export function publicKeySet(keys: readonly ProviderKey[]): { keys: Record<string, unknown>[] } {
  const publicKeys = keys.map((key) =>
    Object.fromEntries(PUBLIC_MEMBERS.filter((name) => name in key).map((name) => [name, key[name]])),
  )
  return { keys: publicKeys }
}

/** Returns the newest RS256 key. */
export function signingKeyOf(keys: readonly ProviderKey[]): { key: KeyObject; kid: string } {
  const newest = keys.find(({ alg }) => alg === 'RS256')
  if (!newest) throw new Error('the local provider has no RS256 key')
  return { key: createPrivateKey({ key: newest, format: 'jwk' }), kid: newest.kid }
}

function providerKey(key: KeyObject, alg: ProviderKey['alg']): ProviderKey {
  const jwk = key.export({ format: 'jwk' })
  const kid = createHash('sha256')
    .update(String(jwk.n ?? jwk.x))
    .digest('base64url')
    .slice(0, 22)
  return { ...jwk, kid, alg, use: 'sig' }
}
