import { type JsonObject, newJsonObject } from '../json/json-value.ts'
import { type CompiledRule, compileRule } from '../rule/compile-rule.ts'
import type { RulePolicy } from '../rule/policy-rule.ts'
import type { SignerSettings } from '../signer/signer-settings.ts'
import { parseRequiredClaims } from './required-claims.ts'
import { parseSelector } from './selector.ts'

/** The claims that every login depends on. */
const NEEDED_CLAIMS = ['iss', 'aud', 'sub', 'exp', 'nbf', 'iat', 'acr', 'amr', 'auth_time', 'cnf'] as const

type ReferringSigner = Pick<
  SignerSettings,
  | 'claimsProperty'
  | 'requiredClaims'
  | 'enrollAttributeClaimsSelector'
  | 'enrollNameClaimsSelector'
  | 'acceptRule'
  | 'attributeRules'
>

/** Stands for every claim. No claim can be selected by it. */
export const ALL_CLAIMS = '~'

/** What the decision about a token depends on besides the signer. */
export interface ClaimReferences {
  /** The names of the claims; with `ALL_CLAIMS` among them, all. */
  readonly names: ReadonlySet<string>
  /** Whether rules read the header of the token or the request, which are not kept. */
  readonly readsMore: boolean
}

/** What decides about tokens of a signer, and about what they give to identities. */
export function claimReferences(signer: ReferringSigner): ClaimReferences {
  const { claimsProperty, enrollAttributeClaimsSelector, enrollNameClaimsSelector, acceptRule, attributeRules } = signer
  const required = parseRequiredClaims(signer.requiredClaims ?? {})
  const selectors = [
    claimsProperty,
    enrollNameClaimsSelector,
    ...(enrollAttributeClaimsSelector === null ? [] : [enrollAttributeClaimsSelector]),
    ...(required.ok ? required.requiredClaims.map(({ selector }) => selector.text) : []),
  ]
  const rules = [
    ...(acceptRule === null ? [] : [compileRule(acceptRule, 'accept', 'signer')]),
    ...attributeRules.map((text) => compileRule(text, 'attributes', 'signer')),
  ]
  return {
    names: new Set([...NEEDED_CLAIMS, ...selectors.flatMap(rootClaim), ...rules.flatMap(claimsOfRule)]),
    readsMore: rules.some(({ references }) => references.readsRequest || references.readsHeader),
  }
}

/** What the rule of a policy depends on. */
export function policyReferences({ acceptRule }: RulePolicy): ClaimReferences {
  if (acceptRule === null) return NO_REFERENCES
  const rule = compileRule(acceptRule, 'accept', 'policy')
  return { names: new Set(claimsOfRule(rule)), readsMore: rule.references.readsRequest }
}

const NO_REFERENCES: ClaimReferences = { names: new Set(), readsMore: false }

function claimsOfRule({ references }: CompiledRule): readonly string[] {
  const names = references.claims.flatMap((path) => path.slice(0, 1))
  return references.readsAllClaims ? [...names, ALL_CLAIMS] : names
}

function rootClaim(selector: string): readonly string[] {
  const reading = parseSelector(selector)
  return reading.ok ? reading.selector.segments.slice(0, 1) : []
}

/** The claims with these names; every claim when `ALL_CLAIMS` is among them. */
export function pickClaims(claims: JsonObject, names: Iterable<string>): JsonObject {
  const picked = newJsonObject()
  const wanted = new Set(names)
  for (const name of wanted.has(ALL_CLAIMS) ? Object.keys(claims) : wanted) {
    const value = Object.hasOwn(claims, name) ? claims[name] : undefined
    if (value !== undefined) picked[name] = value
  }
  return picked
}
