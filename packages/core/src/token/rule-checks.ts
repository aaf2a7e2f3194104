import type { CompiledRule } from '../rule/compile-rule.ts'
import { explainRule, ruleRefusalText } from '../rule/explain-rule.ts'
import { findRuleRefusal, type RuleAttributes } from '../rule/judge-rule.ts'
import type { RuleVariables } from '../rule/rule-run.ts'
import type { CheckResult } from './check-result.ts'
import { displayValue } from './verdict.ts'

export const NO_ATTRIBUTES = { ok: true, attributes: [] } as const satisfies RuleAttributes

/** Checks the signer's `acceptRule`. The description says which part of it was false, and the values that this part read. */
export function checkAcceptRule(rule: CompiledRule, variables: RuleVariables): CheckResult {
  return {
    expected: () => displayValue(rule.text) ?? '',
    received: () => ruleRefusalText(explainRule(rule, variables)),
    refusal: findRuleRefusal(rule, variables),
  }
}

/** Checks that the signer's `attributeRules` give attributes. */
export function checkAttributeRules(rules: readonly CompiledRule[], result: RuleAttributes): CheckResult {
  return {
    expected: () => displayValue(rules.map(({ text }) => text).join('; ')) ?? '',
    received: () => displayValue(result.ok ? [...result.attributes] : `${result.rule.text}: ${result.reason}`),
    refusal: result.ok ? undefined : 'rule-error',
  }
}
