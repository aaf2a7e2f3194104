import type { CompiledRule } from '../rule/compile-rule.ts'
import { explainRule, ruleRefusalText, valuesText } from '../rule/explain-rule.ts'
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

/** Checks that the signer's `attributeRules` give attributes. The description has the values that they read. */
export function checkAttributeRules(
  rules: readonly CompiledRule[],
  result: RuleAttributes,
  variables: RuleVariables,
): CheckResult {
  return {
    expected: () => displayValue(rules.map(({ text }) => text).join('; ')) ?? '',
    received: () =>
      result.ok ? givenText(rules, result.attributes, variables) : failedText(rules, result.rule, variables),
    refusal: result.ok ? undefined : 'rule-error',
  }
}

function givenText(rules: readonly CompiledRule[], attributes: readonly string[], variables: RuleVariables): string {
  const given = displayValue([...attributes]) ?? ''
  const values = valuesText(rules.map((rule) => explainRule(rule, variables)))
  return values === '' ? given : `${given}; ${values}`
}

/** Of several rules, it says which one failed. */
function failedText(rules: readonly CompiledRule[], failed: CompiledRule, variables: RuleVariables): string {
  const text = ruleRefusalText(explainRule(failed, variables))
  return rules.length === 1 ? text : `rule ${rules.indexOf(failed) + 1}: ${text}`
}
