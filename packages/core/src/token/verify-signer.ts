import { parseRequiredClaims, type RequiredClaim } from '../claim/required-claims.ts'
import { parseSelector, type Selector } from '../claim/selector.ts'
import type { JsonObject, ReadonlyJson } from '../json/json-value.ts'

/** What a kind of provider promises about its tokens beyond a claim's value. */
export interface ClaimRule {
  /** In words, for the verdict. */
  readonly expected: string
  holds(claims: JsonObject): boolean
}

/** What the verify function needs of a signer. `id` and `revision` together stand for one state of all the others. */
export interface VerifySigner<Audience extends string | null = string | null> {
  readonly id: string
  readonly revision: string | number
  readonly issuer: string
  /** Null for a provider whose tokens name none: then its `claimRules` say what they are for. */
  readonly audience: Audience
  /** Accepted beside `audience`. */
  readonly additionalAudiences: readonly string[]
  readonly claimsProperty: Selector
  readonly clockSkewSeconds: number
  readonly maxTokenAgeSeconds?: number
  readonly requiredClaims: readonly RequiredClaim[]
  readonly claimRules: readonly ClaimRule[]
}

export interface VerifySignerFields<Audience extends string | null = string | null> {
  readonly id: string
  readonly revision: string | number
  readonly issuer: string
  readonly audience: Audience
  readonly additionalAudiences?: readonly string[]
  readonly claimsProperty?: string | null
  readonly clockSkewSeconds?: number | null
  readonly maxTokenAgeSeconds?: number | null
  readonly requiredClaims?: ReadonlyJson
  readonly claimRules?: readonly ClaimRule[]
}

const MAX_CLOCK_SKEW_SECONDS = 60

/**
 * Prepares a stored signer for verifying, once for each revision.
 * @throws {TypeError} for fields that a saved signer cannot have
 */
export function buildVerifySigner<Audience extends string | null>(
  fields: VerifySignerFields<Audience>,
): VerifySigner<Audience> {
  const { id, revision, issuer, audience, maxTokenAgeSeconds } = fields
  const clockSkewSeconds = fields.clockSkewSeconds ?? 0
  const claimRules = fields.claimRules ?? []
  const additionalAudiences = fields.additionalAudiences ?? []
  if (issuer === '' || audience === '' || additionalAudiences.includes(''))
    throw new TypeError('a signer has an issuer and an audience')
  if (audience === null && claimRules.length === 0)
    throw new TypeError('tokens without audience need rules of their own')
  if (!(clockSkewSeconds >= 0 && clockSkewSeconds <= MAX_CLOCK_SKEW_SECONDS)) {
    throw new TypeError(`clockSkewSeconds is from 0 to ${MAX_CLOCK_SKEW_SECONDS}`)
  }
  const selector = parseSelector(fields.claimsProperty ?? '/sub')
  if (!selector.ok) throw new TypeError(`claimsProperty ${selector.reason}`)
  const required = parseRequiredClaims(fields.requiredClaims ?? {})
  if (!required.ok) throw new TypeError(`requiredClaims ${required.reason}`)
  return {
    id,
    revision,
    issuer,
    audience,
    additionalAudiences,
    claimsProperty: selector.selector,
    clockSkewSeconds,
    ...(typeof maxTokenAgeSeconds === 'number' ? { maxTokenAgeSeconds } : {}),
    requiredClaims: required.requiredClaims,
    claimRules,
  }
}
