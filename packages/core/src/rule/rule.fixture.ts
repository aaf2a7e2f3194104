import type { JsonObject, JsonValue } from '../json/json-value.ts'
import { compileRule, evaluateRule, type RuleError, readRule } from './compile-rule.ts'
import { signerVariables } from './judge-rule.ts'
import { RuleFault, type RuleVariables } from './rule-run.ts'
import { toJson } from './rule-value.ts'

export const NOW_MS = Date.UTC(2026, 0, 1, 0, 10)

/** The variables of a signer's rule for these claims. */
export function variablesOf(claims: JsonObject): RuleVariables {
  return signerVariables({
    claims,
    header: { alg: 'RS256' },
    signer: { id: 's1', name: 'github' },
    request: { method: 'POST', address: '10.1.2.3' },
    nowMs: NOW_MS,
  })
}

/** The value of a rule, or its fault as text. */
export function evaluate(rule: string, claims: JsonObject): JsonValue {
  const result = evaluateRule(compileRule(rule, 'accept', 'signer'), variablesOf(claims))
  return result instanceof RuleFault ? `fault: ${result.message}` : toJson(result)
}

/** Why a rule is refused when it is saved. */
export function rejection(rule: string): RuleError {
  const reading = readRule(rule, 'accept', 'signer')
  return reading.ok ? { reason: 'accepted', line: 0, column: 0 } : reading
}
