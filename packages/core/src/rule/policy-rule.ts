import type { JsonObject } from '../json/json-value.ts'
import { newJsonObject } from '../json/json-value.ts'
import { type CompiledRule, compileRule } from './compile-rule.ts'
import { explainRule, ruleRefusalText } from './explain-rule.ts'
import { findRuleRefusal, type PolicyFacts, policyVariables, type RuleRefusal } from './judge-rule.ts'

/** A policy with its rule. */
export interface RulePolicy {
  readonly acceptRule: string | null
}

/** The signer of a login without a token. */
export const NO_SIGNER = { id: '', name: '' }

/** Undefined for a stored rule that this release no longer accepts: it refuses. */
function findCompiled(text: string): CompiledRule | undefined {
  try {
    return compileRule(text, 'accept', 'policy')
  } catch {
    return undefined
  }
}

/** Why the rule of a policy refuses a login, or a request of its session; undefined when it accepts, or there is none. */
export function findPolicyRefusal({ acceptRule }: RulePolicy, facts: PolicyFacts): RuleRefusal | undefined {
  if (acceptRule === null) return undefined
  const rule = findCompiled(acceptRule)
  return rule ? findRuleRefusal(rule, policyVariables(facts)) : 'rule-error'
}

/** The claims that later requests of a session are judged by; null when the policy has no rule, or it reads none. */
export function policyClaims({ acceptRule }: RulePolicy, claims: JsonObject): JsonObject | null {
  const rule = acceptRule === null ? undefined : findCompiled(acceptRule)
  if (!rule) return null
  const { references } = rule
  if (references.readsAllClaims) return claims
  const read: JsonObject = newJsonObject()
  for (const [name = ''] of references.claims) {
    const value = claims[name]
    if (value !== undefined) read[name] = value
  }
  return read
}

/** Explains to an administrator why the rule of a policy refuses. */
export function policyRefusalText({ acceptRule }: RulePolicy, facts: PolicyFacts): string {
  const rule = findCompiled(acceptRule ?? '')
  return rule ? ruleRefusalText(explainRule(rule, policyVariables(facts))) : 'the rule is not valid'
}
