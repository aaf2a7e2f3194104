import type { JsonObject } from '../json/json-value.ts'
import { secretDigest } from '../secret.ts'
import type { TokenPurpose } from './token-purpose.ts'

/** A well-formed compact JWS. Nothing in it has been verified: anyone can have written it. */
export class UntrustedJws {
  readonly untrustedHeader: JsonObject
  readonly untrustedClaims: JsonObject
  /** The JWS signing input: the first two parts with the dot between them. */
  readonly signingInput: string
  /** What it was read for. It has the type and the claims of such a token, and is verified as one. */
  readonly purpose: TokenPurpose
  readonly #token: string
  #signature: Buffer | undefined
  #digest: string | undefined

  constructor(
    token: string,
    digest: string | undefined,
    read: Pick<UntrustedJws, 'untrustedHeader' | 'untrustedClaims' | 'signingInput' | 'purpose' | 'signature'>,
  ) {
    this.untrustedHeader = read.untrustedHeader
    this.untrustedClaims = read.untrustedClaims
    this.signingInput = read.signingInput
    this.purpose = read.purpose
    this.#token = token
    this.#signature = read.signature
    this.#digest = digest
  }

  get signature(): Buffer {
    return this.#signature ?? Buffer.from(this.#token.slice(this.signingInput.length + 1), 'base64url')
  }

  /** Call before caching the object: the signature is a slice that keeps a buffer thirty times its size in memory. */
  dropSignature(): void {
    this.#signature = undefined
  }

  /** Length of the whole token in characters. */
  get length(): number {
    return this.#token.length
  }

  /** SHA-256 of the whole token, base64url. Computed on first use, because only the cache needs it. */
  get digest(): string {
    this.#digest ??= secretDigest(this.#token)
    return this.#digest
  }
}

const MAX_AUDIENCES = 100

/** Issuer and audiences as an unverified token claims them. Use them only to choose the signers that may verify it. */
export function untrustedIssuerAndAudience(jws: UntrustedJws): {
  readonly untrustedIssuer: string | undefined
  readonly untrustedAudiences: readonly string[]
} {
  const { iss } = jws.untrustedClaims
  return {
    untrustedIssuer: typeof iss === 'string' ? iss : undefined,
    untrustedAudiences: audiencesOf(jws.untrustedClaims),
  }
}

/** The audiences of RFC 7519 section 4.1.3: a string or an array of strings. Empty for any other value. */
export function audiencesOf(claims: JsonObject): readonly string[] {
  const { aud } = claims
  if (typeof aud === 'string') return [aud]
  if (!Array.isArray(aud) || aud.length > MAX_AUDIENCES) return []
  return aud.every((audience) => typeof audience === 'string') ? aud : []
}
