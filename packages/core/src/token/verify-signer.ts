import type { PossessionKind } from '@countersign/contract/ext-jwt-signer'
import { parseRequiredClaims, type RequiredClaim } from '../claim/required-claims.ts'
import { parseSelector, type Selector } from '../claim/selector.ts'
import type { JsonObject, ReadonlyJson } from '../json/json-value.ts'
import { type CompiledRule, compileRule } from '../rule/compile-rule.ts'

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
  /** For rules. */
  readonly name: string
  readonly acceptRule: CompiledRule | undefined
  readonly attributeRules: readonly CompiledRule[]
  /** Whether a rule reads the request, so that the verdict holds for one request only. */
  readonly readsRequest: boolean
  /** The proof of possession without which a token is refused. One that is bound needs its proof in any case. */
  readonly requirePossession: PossessionKind
  /** Set for tokens of this controller: the caller compares the proof with the session. */
  readonly leavesPossession?: true
  /** Whether each token is accepted once. */
  readonly oneUse: boolean
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
  readonly name?: string
  readonly acceptRule?: string | null
  readonly attributeRules?: readonly string[]
  readonly requirePossession?: PossessionKind
  readonly oneUse?: boolean
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
  const acceptRule = fields.acceptRule ? compileRule(fields.acceptRule, 'accept', 'signer') : undefined
  const attributeRules = (fields.attributeRules ?? []).map((text) => compileRule(text, 'attributes', 'signer'))
  const rules = acceptRule ? [acceptRule, ...attributeRules] : attributeRules
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
    name: fields.name ?? '',
    acceptRule,
    attributeRules,
    readsRequest: rules.some(({ references }) => references.readsRequest),
    requirePossession: fields.requirePossession ?? 'none',
    oneUse: fields.oneUse ?? false,
  }
}
