import { createHash, randomUUID } from 'node:crypto'
import { type MintKey, type MintOptions, mintToken } from './token-mint.ts'

export interface ProofParts {
  readonly key: MintKey
  readonly method: string
  readonly url: string
  /** The token that the proof comes with. */
  readonly token?: string | undefined
  readonly nonce?: string | undefined
  /** In seconds. */
  readonly now: number
  /** Members to add; undefined removes one. */
  readonly claims?: Readonly<Record<string, unknown>>
  readonly header?: Readonly<Record<string, unknown>>
}

/** A DPoP proof (RFC 9449 section 4.2), by default a valid one. */
export function mintProof(
  { key, method, url, token, nonce, now, claims, header }: ProofParts,
  options: Partial<MintOptions> = {},
): string {
  const { kid: _kid, use: _use, ...jwk } = key.jwk
  const ath = token === undefined ? undefined : createHash('sha256').update(token).digest('base64url')
  return mintToken({
    key,
    header: { typ: 'dpop+jwt', kid: undefined, jwk, ...header },
    claims: { jti: randomUUID(), htm: method, htu: url, iat: now, ath, nonce, ...claims },
    ...options,
  })
}

/** The thumbprint of a key (RFC 7638), as `cnf.jkt` of a token names it. */
export function thumbprintOfKey({ jwk: { crv, e, kty, n, x, y } }: MintKey): string {
  return createHash('sha256').update(JSON.stringify({ crv, e, kty, n, x, y })).digest('base64url')
}
