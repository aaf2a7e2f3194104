import { parseRequiredClaims, type RequiredClaim } from '../claim/required-claims.ts'
import { parseSelector, type Selector } from '../claim/selector.ts'
import type { JsonObject, ReadonlyJson } from '../json/json-value.ts'

/** A rule about the claims of one kind of provider that `requiredClaims` cannot express. */
export interface ClaimRule {
  /** For the verdict. */
  readonly expected: string
  holds(claims: JsonObject): boolean
}

/** The part of a signer that `verifyToken` needs. `id` and `revision` together identify one state of all other members. */
export interface VerifySigner<Audience extends string | null = string | null> {
  readonly id: string
  readonly revision: string | number
  readonly issuer: string
  /** Null for a provider whose tokens have no audience: its `claimRules` restrict their use instead. */
  readonly audience: Audience
  /** Accepted in addition to `audience`. */
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
 * Parses the fields of a stored signer. Call it once per revision.
 * @throws {TypeError} for fields that a validated signer cannot have
 */
export function buildVerifySigner<Audience extends string | null>(
  fields: VerifySignerFields<Audience>,
): VerifySigner<Audience> {
  const { id, revision, issuer, audience, maxTokenAgeSeconds } = fields
  const clockSkewSeconds = fields.clockSkewSeconds ?? 0
  const claimRules = fields.claimRules ?? []
  const additionalAudiences = fields.additionalAudiences ?? []
  if (issuer === '' || audience === '' || additionalAudiences.includes(''))
    throw new TypeError('issuer and audiences must not be empty')
  if (audience === null && claimRules.length === 0) throw new TypeError('a signer without audience needs claimRules')
  if (!(clockSkewSeconds >= 0 && clockSkewSeconds <= MAX_CLOCK_SKEW_SECONDS)) {
    throw new TypeError(`clockSkewSeconds must be from 0 to ${MAX_CLOCK_SKEW_SECONDS}`)
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
