/** Rules of signers and policies: expressions in a bounded subset of CEL over verified claims. */
export {
  type CompiledRule,
  compileRule,
  evaluateRule,
  type RuleError,
  type RuleReading,
  readRule,
} from './compile-rule.ts'
export { explainRule, type RuleExplanation, type RuleValueSeen, ruleRefusalText } from './explain-rule.ts'
export {
  findRuleRefusal,
  type PolicyFacts,
  policyVariables,
  RULE_REFUSALS,
  type RuleAttributes,
  type RuleRefusal,
  type RuleRequest,
  ruleAttributes,
  signerVariables,
} from './judge-rule.ts'
export {
  findPolicyRefusal,
  NO_SIGNER,
  policyClaims,
  policyRefusalText,
  type RuleClaims,
  readsIdentity,
  readsSignerName,
  sessionClaims,
} from './policy-rule.ts'
export type { RuleKind, RulePlace } from './rule-environment.ts'
export type { RuleReferences } from './rule-references.ts'
export { MAX_RULE_COST, newRuleBudget, RuleBudget, type RuleVariables } from './rule-run.ts'
