import { CountersignError } from '../countersign-error.ts'
import type { WebKey } from '../web-key.ts'
import { toBase64Url } from './base64.ts'

/** A key that authenticates a client instead of a password (`private_key_jwt`). */
export interface ClientKey {
  readonly key: WebKey
  /** The provider's id of the key. */
  readonly keyId?: string | undefined
  /** Additional header members, such as `x5t` for providers that identify keys by certificate. */
  readonly header?: Readonly<Record<string, string>> | undefined
}

const LIFETIME_SECONDS = 60
const MS_PER_SECOND = 1000

interface Signature {
  readonly alg: string
  readonly parameters: Parameters<typeof crypto.subtle.sign>[0]
}

const CURVES: Readonly<Record<string, Signature>> = {
  'P-256': { alg: 'ES256', parameters: { name: 'ECDSA', hash: 'SHA-256' } },
  'P-384': { alg: 'ES384', parameters: { name: 'ECDSA', hash: 'SHA-384' } },
}
const OTHER_ALGORITHMS: Readonly<Record<string, Signature>> = {
  'RSASSA-PKCS1-v1_5': { alg: 'RS256', parameters: { name: 'RSASSA-PKCS1-v1_5' } },
  'RSA-PSS': { alg: 'PS256', parameters: { name: 'RSA-PSS', saltLength: 32 } },
  Ed25519: { alg: 'EdDSA', parameters: { name: 'Ed25519' } },
}

/** Signs a client assertion (RFC 7523). `audience` is the token endpoint. Throws BAD_CREDENTIALS for an unsupported key. */
export async function signClientAssertion(
  { key, keyId, header }: ClientKey,
  { clientId, audience, now }: { clientId: string; audience: string; now: number },
): Promise<string> {
  const {
    name,
    namedCurve = '',
    hash,
  } = key.algorithm as { name: string; namedCurve?: string; hash?: { name: string } }
  const signature = CURVES[namedCurve] ?? OTHER_ALGORITHMS[name]
  if (!signature || (hash && hash.name !== 'SHA-256')) {
    const hint = 'use a key for ES256, ES384, RS256, PS256 or EdDSA'
    throw new CountersignError({
      code: 'BAD_CREDENTIALS',
      message: 'the client key has an unsupported algorithm',
      hint,
    })
  }
  const issuedAt = Math.floor(now / MS_PER_SECOND)
  const claims = {
    iss: clientId,
    sub: clientId,
    aud: audience,
    jti: crypto.randomUUID(),
    iat: issuedAt,
    exp: issuedAt + LIFETIME_SECONDS,
  }
  const head = { alg: signature.alg, typ: 'JWT', ...(keyId !== undefined && { kid: keyId }), ...header }
  const input = `${toBase64Url(JSON.stringify(head))}.${toBase64Url(JSON.stringify(claims))}`
  const bytes = await crypto.subtle.sign(signature.parameters, key, new TextEncoder().encode(input))
  return `${input}.${toBase64Url(new Uint8Array(bytes))}`
}
