import type { CompiledRule } from '../rule/compile-rule.ts'
import { explainRule, ruleRefusalText, valuesText } from '../rule/explain-rule.ts'
import { type RuleAttributes, refusalOf } from '../rule/judge-rule.ts'
import { OVERSPENT_TOGETHER, type RuleResult, type RuleVariables } from '../rule/rule-run.ts'
import type { CheckResult } from './check-result.ts'
import { displayValue } from './verdict.ts'

export const NO_ATTRIBUTES = { ok: true, attributes: [] } as const satisfies RuleAttributes

/** Checks the signer's `acceptRule`. The description says which part of it was false, and the values that this part read. */
export function checkAcceptRule(rule: CompiledRule, result: RuleResult, variables: RuleVariables): CheckResult {
  return {
    expected: () => displayValue(rule.text) ?? '',
    received: () => resultText(rule, result, variables),
    refusal: refusalOf(result),
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
    received: () => (result.ok ? givenText(rules, result.attributes, variables) : failedText(rules, result, variables)),
    refusal: result.ok ? undefined : 'rule-error',
  }
}

function givenText(rules: readonly CompiledRule[], attributes: readonly string[], variables: RuleVariables): string {
  const given = displayValue([...attributes]) ?? ''
  const values = valuesText(rules.map((rule) => explainRule(rule, variables)))
  return values === '' ? given : `${given}; ${values}`
}

/** Of several rules, it says which one failed. */
function failedText(
  rules: readonly CompiledRule[],
  { rule, number, result }: Extract<RuleAttributes, { ok: false }>,
  variables: RuleVariables,
): string {
  const text = resultText(rule, result, variables)
  return rules.length === 1 ? text : `rule ${number}: ${text}`
}

/** An explanation evaluates the rule alone, so it does not know that others left too little for it. */
function resultText(rule: CompiledRule, result: RuleResult, variables: RuleVariables): string {
  return result === OVERSPENT_TOGETHER ? result.message : ruleRefusalText(explainRule(rule, variables))
}
