import { parseRequiredClaims, type RequiredClaim } from '../claim/required-claims.ts'
import { parseSelector, type Selector } from '../claim/selector.ts'
import type { JsonValue } from '../json/json-value.ts'

/** What the verify function needs of a signer. `id` and `revision` together stand for one state of all the others. */
export interface VerifySigner {
  readonly id: string
  readonly revision: string | number
  readonly issuer: string
  readonly audience: string
  readonly claimsProperty: Selector
  readonly clockSkewSeconds: number
  readonly maxTokenAgeSeconds?: number
  readonly requiredClaims: readonly RequiredClaim[]
}

export interface VerifySignerFields {
  readonly id: string
  readonly revision: string | number
  readonly issuer: string
  readonly audience: string
  readonly claimsProperty?: string | null
  readonly clockSkewSeconds?: number | null
  readonly maxTokenAgeSeconds?: number | null
  readonly requiredClaims?: JsonValue
}

const MAX_CLOCK_SKEW_SECONDS = 60

/**
 * Prepares a stored signer for verifying, once for each revision.
 * @throws {TypeError} for fields that a saved signer cannot have
 */
export function buildVerifySigner(fields: VerifySignerFields): VerifySigner {
  const { id, revision, issuer, audience, maxTokenAgeSeconds } = fields
  const clockSkewSeconds = fields.clockSkewSeconds ?? 0
  if (issuer === '' || audience === '') throw new TypeError('a signer has an issuer and an audience')
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
    claimsProperty: selector.selector,
    clockSkewSeconds,
    ...(typeof maxTokenAgeSeconds === 'number' ? { maxTokenAgeSeconds } : {}),
    requiredClaims: required.requiredClaims,
  }
}
