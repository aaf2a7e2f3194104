import { CountersignError } from '../countersign-error.ts'
import { getThumbprint, hashToBase64Url } from '../thumbprint.ts'
import { toBase64Url } from '../token/base64.ts'
import type { WebKey } from '../web-key.ts'

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256' } as const
const SIGNATURE = { name: 'ECDSA', hash: 'SHA-256' } as const
const MS_PER_SECOND = 1000

/** A private key in JWK form (RFC 7517): EC P-256. */
export interface PrivateJwk {
  readonly kty: 'EC'
  readonly crv: 'P-256'
  readonly x: string
  readonly y: string
  readonly d: string
}

/** What a proof is for. */
export interface ProofTarget {
  readonly method: string
  readonly url: string
  /** The token that it comes with; none at a token endpoint. */
  readonly token?: string | undefined
  readonly nonce?: string | undefined
  /** In milliseconds since 1970. */
  readonly now?: number | undefined
}

/** A key of this client, which tokens and sessions are bound to: a thief of the token lacks the key (DPoP, RFC 9449). */
export class DpopKey {
  /** As `cnf.jkt` of a token names it (RFC 7638). */
  readonly thumbprint: string
  readonly #privateKey: WebKey
  readonly #publicJwk: Omit<PrivateJwk, 'd'>

  private constructor(privateKey: WebKey, publicJwk: Omit<PrivateJwk, 'd'>, thumbprint: string) {
    this.#privateKey = privateKey
    this.#publicJwk = publicJwk
    this.thumbprint = thumbprint
  }

  /** A new private key. Store it where no other user can read it. */
  static async generate(): Promise<PrivateJwk> {
    const { privateKey } = await crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])
    const { x, y, d } = await crypto.subtle.exportKey('jwk', privateKey)
    return { kty: 'EC', crv: 'P-256', x: String(x), y: String(y), d: String(d) }
  }

  /** Throws BAD_CREDENTIALS for another kind of key. */
  static async from(jwk: Readonly<Record<string, unknown>> | PrivateJwk): Promise<DpopKey> {
    const { kty, crv, x, y, d } = jwk as Readonly<Record<string, unknown>>
    try {
      if (kty !== 'EC' || crv !== 'P-256') throw new TypeError('not a P-256 key')
      const members = { kty, crv, x: String(x), y: String(y) } as const
      const privateKey = await crypto.subtle.importKey('jwk', { ...members, d: String(d) }, ALGORITHM, false, ['sign'])
      return new DpopKey(privateKey, members, await getThumbprint(members))
    } catch (error) {
      throw new CountersignError({
        code: 'BAD_CREDENTIALS',
        message: 'the DPoP key is not a private key of the kind EC P-256 in JWK form',
        hint: 'let this client generate one',
        cause: error,
      })
    }
  }

  /** A proof for one request. Each is accepted once. */
  async prove({ method, url, token, nonce, now = Date.now() }: ProofTarget): Promise<string> {
    const { origin, pathname } = new URL(url)
    const header = { typ: 'dpop+jwt', alg: 'ES256', jwk: this.#publicJwk }
    const claims = {
      jti: crypto.randomUUID(),
      htm: method,
      htu: origin + pathname,
      iat: Math.floor(now / MS_PER_SECOND),
      ...(token !== undefined && { ath: await hashToBase64Url(token) }),
      ...(nonce !== undefined && { nonce }),
    }
    const input = `${toBase64Url(JSON.stringify(header))}.${toBase64Url(JSON.stringify(claims))}`
    const signature = await crypto.subtle.sign(SIGNATURE, this.#privateKey, new TextEncoder().encode(input))
    return `${input}.${toBase64Url(new Uint8Array(signature))}`
  }
}
