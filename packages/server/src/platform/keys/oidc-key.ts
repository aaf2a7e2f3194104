import { createPrivateKey, generateKeyPair, type KeyObject } from 'node:crypto'
import { promisify } from 'node:util'
import { thumbprintOf } from '@countersign/core'
import type { Sealing } from './sealing.ts'

const generate = promisify(generateKeyPair)

/** A new key pair of the OpenID provider, as it is stored. */
export interface SealedOidcKey {
  /** The thumbprint of the public key (RFC 7638). */
  readonly kid: string
  /** JSON, as it is published. */
  readonly publicJwk: string
  /** Sealed. */
  readonly privateKey: string
}

/** A key that signs the tokens of the OpenID provider. */
export interface OidcSigningKey {
  readonly kid: string
  readonly key: KeyObject
}

export const OIDC_ALGORITHM = 'ES256'

const useOf = (kid: string): string => `signing key ${kid} of the OpenID provider`

/** Creates a key pair for ES256: small signatures, quickly made, that every JWT library verifies. */
export async function createOidcKey(sealing: Sealing): Promise<SealedOidcKey> {
  const { publicKey, privateKey } = await generate('ec', { namedCurve: 'P-256' })
  const kid = thumbprintOf(publicKey)
  const jwk = { use: 'sig', ...publicKey.export({ format: 'jwk' }), kid, alg: OIDC_ALGORITHM }
  const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString()
  return { kid, publicJwk: JSON.stringify(jwk), privateKey: sealing.seal(pem, useOf(kid)) }
}

/** Undefined when another sealing key has sealed it. Fails with SEALING_KEY_MISMATCH when it was changed. */
export function openOidcKey(
  { kid, privateKey }: Pick<SealedOidcKey, 'kid' | 'privateKey'>,
  sealing: Sealing,
): OidcSigningKey | undefined {
  if (!privateKey.startsWith(sealing.prefix)) return undefined
  return { kid, key: createPrivateKey(sealing.open(privateKey, useOf(kid))) }
}
