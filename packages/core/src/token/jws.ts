import type { JsonObject } from '../json/json-value.ts'
import { secretDigest } from '../secret.ts'

/** A compact JWS that has the right form. Nothing in it has been verified: whoever wrote it may be anybody. */
export class UntrustedJws {
  readonly untrustedHeader: JsonObject
  readonly untrustedClaims: JsonObject
  /** Header and claims as they were signed: the first two parts with the dot between. */
  readonly signingInput: string
  readonly #token: string
  #signature: Buffer | undefined
  #digest: string | undefined

  constructor(
    token: string,
    digest: string | undefined,
    read: Pick<UntrustedJws, 'untrustedHeader' | 'untrustedClaims' | 'signingInput' | 'signature'>,
  ) {
    this.untrustedHeader = read.untrustedHeader
    this.untrustedClaims = read.untrustedClaims
    this.signingInput = read.signingInput
    this.#token = token
    this.#signature = read.signature
    this.#digest = digest
  }

  get signature(): Buffer {
    return this.#signature ?? Buffer.from(this.#token.slice(this.signingInput.length + 1), 'base64url')
  }

  /** To be kept: the bytes of the signature would keep the thirty times larger piece of memory that they were cut from. */
  letGoOfSignature(): void {
    this.#signature = undefined
  }

  /** Characters of the whole token. */
  get length(): number {
    return this.#token.length
  }

  /** SHA-256 of the whole token, base64url; made when first asked for, since only a cache asks. */
  get digest(): string {
    this.#digest ??= secretDigest(this.#token)
    return this.#digest
  }
}

const MAX_AUDIENCES = 100

/** What an unverified token says about itself, for choosing the signers that may verify it and for nothing else. */
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

/** The audiences of RFC 7519 section 4.1.3: one string, or an array of nothing but strings. None for any other value. */
export function audiencesOf(claims: JsonObject): readonly string[] {
  const { aud } = claims
  if (typeof aud === 'string') return [aud]
  if (!Array.isArray(aud) || aud.length > MAX_AUDIENCES) return []
  return aud.every((audience) => typeof audience === 'string') ? aud : []
}
