import type { ASTNode } from '@marcbachmann/cel-js'
import type { JsonValue } from '../json/json-value.ts'
import { displayValue } from '../token/verdict.ts'
import { type CompiledRule, evaluateRule, positionOf } from './compile-rule.ts'
import { attributesError, type RuleRefusal, refusalOf } from './judge-rule.ts'
import { operandsOf } from './plan-rule.ts'
import { accessesOf } from './rule-references.ts'
import { RuleFault, type RuleRange, type RuleResult, type RuleVariables } from './rule-run.ts'
import { toJson, typeOf } from './rule-value.ts'

/** A value that a part of a rule read. */
export interface RuleValueSeen {
  /** As the rule names it: `claims.repository`. */
  readonly name: string
  /** Undefined when there is none. */
  readonly value: JsonValue | undefined
}

/** What decided the result of a rule. */
export interface RuleExplanation {
  readonly refusal: RuleRefusal | undefined
  /** The part of the rule that was false or failed; the whole rule when it accepts. */
  readonly part: string
  readonly line: number
  readonly column: number
  /** Why the part failed; undefined when it has a value. */
  readonly fault: string | undefined
  readonly seen: readonly RuleValueSeen[]
}

const MAX_SEEN = 16

/** Evaluates a rule again, and finds the part that decided and the values that it read. */
export function explainRule(rule: CompiledRule, variables: RuleVariables): RuleExplanation {
  const trace = new Map<object, RuleResult>()
  const result = evaluateRule(rule, variables, { trace })
  const fault = rule.kind === 'attributes' ? attributesError(result) : faultOf(result)
  const refusal = rule.kind === 'accept' ? refusalOf(result) : fault === undefined ? undefined : 'rule-error'
  const part = refusal === 'rule-refused' ? findFalsePart(rule.root, trace) : rule.root
  const range = withParentheses(result instanceof RuleFault && result.at.end > 0 ? result.at : part, rule.text)
  const seenIn = result instanceof RuleFault && !isWithin(part, range) ? rule.root : part
  return {
    refusal,
    part: rule.text.slice(range.start, range.end),
    ...positionOf(rule.text, range.start),
    fault,
    seen: valuesSeen(seenIn, trace, rule.text),
  }
}

const isWithin = ({ start, end }: RuleRange, range: RuleRange) => start <= range.start && range.end <= end

/** The range with the parentheses around its last operand, which no node of the parser has: `!(a == b` ends before its last one. */
function withParentheses({ start, end }: RuleRange, text: string): RuleRange {
  let open = 0
  for (const [found] of text.slice(start, end).matchAll(/"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[()]/g)) {
    if (found === '(') open++
    else if (found === ')') open--
  }
  const [closing = ''] = open > 0 ? (new RegExp(`^(?:\\s*\\)){${open}}`).exec(text.slice(end)) ?? []) : []
  return { start, end: end + closing.length }
}

function faultOf(result: RuleResult): string | undefined {
  if (result instanceof RuleFault) return result.message
  return typeof result === 'boolean' ? undefined : `the rule must be a bool, not a ${typeOf(result)}`
}

/** Descends from an expression that is false to the smallest part whose falsehood alone made it so. */
function findFalsePart(node: ASTNode, trace: ReadonlyMap<object, RuleResult>): ASTNode {
  if (node.op === '&&') {
    const culprit = operandsOf(node).find((operand) => trace.get(operand) === false)
    return culprit ? findFalsePart(culprit, trace) : node
  }
  if (node.op === '?:') {
    const [condition, yes, no] = node.args
    return findFalsePart(trace.get(condition) === true ? yes : no, trace)
  }
  return node
}

function valuesSeen(part: ASTNode, trace: ReadonlyMap<object, RuleResult>, text: string): RuleValueSeen[] {
  const seen = new Map<string, RuleValueSeen>()
  for (const { node, path } of accessesOf(part)) {
    const result = trace.get(node)
    // A part that was not evaluated, or a whole variable.
    if (result === undefined || path.length === 0) continue
    const name = text.slice(node.start, node.end)
    seen.set(name, { name, value: result instanceof RuleFault ? undefined : toJson(result) })
  }
  return [...seen.values()].slice(0, MAX_SEEN)
}

/** The explanation of a refusal as text: `claims.ref == "main" is false; claims.ref is "dev"`. */
export function ruleRefusalText({ refusal, part, line, column, fault, seen }: RuleExplanation): string {
  const values = seen.map(({ name, value }) => `${name} is ${valueText(value)}`)
  const outcome =
    fault === undefined ? `${shortened(part)} is ${refusal === undefined}` : `${shortened(part)}: ${fault}`
  const place = refusal === undefined ? '' : ` (line ${line}, column ${column})`
  return [`${outcome}${place}`, ...values].join('; ')
}

/** The values that attribute rules read: `claims.groups is ["dev"]`. Empty when they read none. */
export function valuesText(explanations: readonly RuleExplanation[]): string {
  const seen = new Map(explanations.flatMap((each) => each.seen).map(({ name, value }) => [name, value]))
  return [...seen].map(([name, value]) => `${name} is ${valueText(value)}`).join('; ')
}

const valueText = (value: JsonValue | undefined) =>
  value === undefined ? 'absent' : (displayValue(JSON.stringify(value)) ?? 'absent')
const shortened = (part: string) => displayValue(part.replace(/\s+/g, ' ')) ?? ''
