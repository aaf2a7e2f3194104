import type { JsonObject } from '../json/json-value.ts'
import { newJsonObject } from '../json/json-value.ts'
import { type CompiledRule, compileRule } from './compile-rule.ts'
import { explainRule, ruleRefusalText } from './explain-rule.ts'
import { findRuleRefusal, type PolicyFacts, policyVariables, type RuleRefusal } from './judge-rule.ts'
import type { RuleReferences } from './rule-references.ts'
import type { RuleBudget } from './rule-run.ts'

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

/** What a session keeps of the claims of its token, for the rule of its policy. */
export type RuleClaims = Pick<PolicyFacts, 'claims' | 'knownClaims'>

/**
 * The claims that a rule is judged by at a request of a session. A login without a token has none. Of a token, `kept` is null when its policy had no
 * rule then.
 */
export function sessionClaims(signerId: string | null, kept: RuleClaims | null): RuleClaims {
  if (signerId === null) return { claims: {} }
  return kept ?? { claims: {}, knownClaims: [] }
}

/**
 * Why the rule of a policy refuses a login, or a request of its session; undefined when it accepts, or there is none. A rule that reads a claim which is
 * not known has no value: that the claim is absent must not count as that the token did not have it.
 */
export function findPolicyRefusal(
  { acceptRule }: RulePolicy,
  facts: PolicyFacts,
  budget?: RuleBudget,
): RuleRefusal | undefined {
  if (acceptRule === null) return undefined
  const rule = findCompiled(acceptRule)
  if (!rule || readsUnknown(rule, facts)) return 'rule-error'
  return findRuleRefusal(rule, policyVariables(facts), budget)
}

function readsUnknown({ references }: CompiledRule, { knownClaims }: RuleClaims): boolean {
  if (knownClaims === undefined) return false
  return references.readsAllClaims || rootsOf(references).some((name) => !knownClaims.includes(name))
}

/** Whether the rule of a policy depends on the names of signers. One that this release no longer accepts may. */
export function readsSignerName(policy: RulePolicy): boolean {
  return mayRead(policy, 'readsSignerName')
}

/** Whether the rule of a policy depends on the name or the attributes of the identity. One that this release no longer accepts may. */
export function readsIdentity(policy: RulePolicy): boolean {
  return mayRead(policy, 'readsIdentity')
}

function mayRead({ acceptRule }: RulePolicy, what: 'readsSignerName' | 'readsIdentity'): boolean {
  if (acceptRule === null) return false
  return findCompiled(acceptRule)?.references[what] ?? true
}

const rootsOf = ({ claims }: RuleReferences): readonly string[] => claims.flatMap((path) => path.slice(0, 1))

/** The claims that later requests of a session are judged by; null when the policy has no rule. */
export function policyClaims({ acceptRule }: RulePolicy, claims: JsonObject): RuleClaims | null {
  const rule = acceptRule === null ? undefined : findCompiled(acceptRule)
  if (!rule) return null
  const { references } = rule
  if (references.readsAllClaims) return { claims }
  const knownClaims = [...new Set(rootsOf(references))]
  const read: JsonObject = newJsonObject()
  for (const name of knownClaims) {
    const value = Object.hasOwn(claims, name) ? claims[name] : undefined
    if (value !== undefined) read[name] = value
  }
  return { claims: read, knownClaims }
}

const POLICIES_OVERSPENT = 'the rules of the policies that the tokens lead to take too long together for these claims'

/** Explains to an administrator why the rule of a policy refuses. */
export function policyRefusalText({ acceptRule }: RulePolicy, facts: PolicyFacts): string {
  const rule = findCompiled(acceptRule ?? '')
  if (!rule) return 'the rule is not valid'
  if (readsUnknown(rule, facts)) return 'the rule reads a claim that was not kept'
  const explained = explainRule(rule, policyVariables(facts))
  // By itself it accepts: others left it too little.
  return explained.refusal === undefined ? POLICIES_OVERSPENT : ruleRefusalText(explained)
}
