import { CountersignError } from '../countersign-error.ts'
import type { WebKey } from '../web-key.ts'
import { toBase64Url } from './base64.ts'

/** A key that a client shows who it is with, in place of a password (`private_key_jwt`). */
export interface ClientKey {
  readonly key: WebKey
  /** The provider's name of the key. */
  readonly keyId?: string | undefined
  /** Further members of the header, such as `x5t` for providers that know keys by certificate. */
  readonly header?: Readonly<Record<string, string>> | undefined
}

const LIFE_SECONDS = 60
const MS_PER_SECOND = 1000

interface Signature {
  readonly alg: string
  readonly parameters: Parameters<typeof crypto.subtle.sign>[0]
}

const CURVES: Readonly<Record<string, Signature>> = {
  'P-256': { alg: 'ES256', parameters: { name: 'ECDSA', hash: 'SHA-256' } },
  'P-384': { alg: 'ES384', parameters: { name: 'ECDSA', hash: 'SHA-384' } },
}
const OTHERS: Readonly<Record<string, Signature>> = {
  'RSASSA-PKCS1-v1_5': { alg: 'RS256', parameters: { name: 'RSASSA-PKCS1-v1_5' } },
  'RSA-PSS': { alg: 'PS256', parameters: { name: 'RSA-PSS', saltLength: 32 } },
  Ed25519: { alg: 'EdDSA', parameters: { name: 'Ed25519' } },
}

/** Signs that this client asks that endpoint for a token, now (RFC 7523). */
export async function signClientAssertion(
  { key, keyId, header }: ClientKey,
  { clientId, audience, now }: { clientId: string; audience: string; now: number },
): Promise<string> {
  const {
    name,
    namedCurve = '',
    hash,
  } = key.algorithm as { name: string; namedCurve?: string; hash?: { name: string } }
  const signature = CURVES[namedCurve] ?? OTHERS[name]
  if (!signature || (hash && hash.name !== 'SHA-256')) {
    const hint = 'use a key for ES256, ES384, RS256, PS256 or EdDSA'
    throw new CountersignError({ code: 'BAD_CREDENTIALS', message: 'the key is of a kind that cannot be used', hint })
  }
  const issuedAt = Math.floor(now / MS_PER_SECOND)
  const claims = {
    iss: clientId,
    sub: clientId,
    aud: audience,
    jti: crypto.randomUUID(),
    iat: issuedAt,
    exp: issuedAt + LIFE_SECONDS,
  }
  const head = { alg: signature.alg, typ: 'JWT', ...(keyId !== undefined && { kid: keyId }), ...header }
  const input = `${toBase64Url(JSON.stringify(head))}.${toBase64Url(JSON.stringify(claims))}`
  const bytes = await crypto.subtle.sign(signature.parameters, key, new TextEncoder().encode(input))
  return `${input}.${toBase64Url(new Uint8Array(bytes))}`
}
