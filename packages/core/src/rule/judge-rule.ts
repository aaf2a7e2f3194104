import type { JsonObject } from '../json/json-value.ts'
import type { Trust } from '../trust/trust.ts'
import { type CompiledRule, evaluateRule } from './compile-rule.ts'
import { type RuleBudget, RuleFault, type RuleResult, type RuleVariables } from './rule-run.ts'
import { isRuleList, typeOf } from './rule-value.ts'

/** Why a rule refuses. A closed set: logs, metrics and "explain" use these values. */
export const RULE_REFUSALS = ['rule-refused', 'rule-error'] as const
export type RuleRefusal = (typeof RULE_REFUSALS)[number]

/** The HTTP request of a login. */
export interface RuleRequest {
  readonly method: string
  readonly address: string
}

interface Named {
  readonly id: string
  readonly name: string
}

interface CommonFacts {
  readonly claims: JsonObject
  readonly signer: Named
  /** Absent where no request is known: then it has only its time, and a rule that reads the method or the address fails. */
  readonly request: RuleRequest | undefined
  readonly nowMs: number
}

interface SignerFacts extends CommonFacts {
  readonly header: JsonObject
}

export interface PolicyFacts extends CommonFacts {
  /** The names of the claims that are known, whether the token had them or not; undefined when all are. */
  readonly knownClaims?: readonly string[] | undefined
  readonly identity: Named & { readonly attributes: readonly string[] }
  readonly signer: PolicySigner
}

/** The signer of a login. The name of one that is not trusted is the choice of a caller with few rights: rules do not see it. */
export interface PolicySigner extends Named {
  readonly trust?: Pick<Trust, 'isTrusted'> | undefined
}

/** The variables of a signer's rules. */
export function signerVariables({ header, ...facts }: SignerFacts): RuleVariables {
  return { ...commonVariables(facts), header }
}

/** The variables of a policy's rule. */
export function policyVariables({ identity, ...facts }: PolicyFacts): RuleVariables {
  const { id, name, attributes } = identity
  const { trust, id: signerId } = facts.signer
  const unnamed = trust?.isTrusted === false && { signer: { id: signerId } }
  return { ...commonVariables(facts), ...unnamed, identity: { id, name, attributes } }
}

function commonVariables({ claims, signer: { id, name }, request, nowMs }: CommonFacts) {
  const time = new Date(nowMs)
  return { claims, signer: { id, name }, request: { ...request, time } }
}

/** Why an accept rule refuses; undefined when it accepts. */
export function findRuleRefusal(
  rule: CompiledRule,
  variables: RuleVariables,
  budget?: RuleBudget,
): RuleRefusal | undefined {
  return refusalOf(evaluateRule(rule, variables, { budget }))
}

/** Anything but a bool is an error. */
export function refusalOf(result: RuleResult): RuleRefusal | undefined {
  return result === true ? undefined : result === false ? 'rule-refused' : 'rule-error'
}

export type RuleAttributes =
  | { readonly ok: true; readonly attributes: readonly string[] }
  | { readonly ok: false; readonly rule: CompiledRule; readonly number: number; readonly result: RuleResult }

/** The attributes that the rules give, of all rules together; or the first rule that fails. */
export function ruleAttributes(
  rules: readonly CompiledRule[],
  variables: RuleVariables,
  budget: RuleBudget,
): RuleAttributes {
  const attributes: string[] = []
  for (const [index, rule] of rules.entries()) {
    const result = evaluateRule(rule, variables, { budget })
    if (!isList(result)) return { ok: false, rule, number: index + 1, result }
    attributes.push(...result)
  }
  return { ok: true, attributes: attributes.filter((attribute) => attribute !== '') }
}

const isList = (result: RuleResult): result is readonly string[] => attributesError(result) === undefined

/** Why the result of a rule is no list of attributes. */
export function attributesError(result: RuleResult): string | undefined {
  if (result instanceof RuleFault) return result.message
  if (!isRuleList(result)) return `the rule gives a ${typeOf(result)} instead of a list of strings`
  return result.every((attribute) => typeof attribute === 'string')
    ? undefined
    : 'the rule gives a list with other values than strings'
}
